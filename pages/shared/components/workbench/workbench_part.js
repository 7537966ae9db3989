// The workbench as a part of the app: it opens what Python sends, and reports what is at rest.

/** @import { Component } from "../base/dom.js" */
/** @import { RestReport, WorkbenchHead } from "../messages.js" */
/** @import { RestState, WorkbenchData } from "../../../../chunking/web/workbench/workbench.js" */
/** @import { Setting } from "../../../../chunking/web/engine/cuts.js" */
import { Workbench } from "../../../../chunking/web/workbench/workbench.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { DATA_KEPT, dataOf } from "./kept_data.js";
import { WindowFill } from "./window_fill.js";

const THEME_MS = 500; // how often the theme of the page is looked at: no event tells of it

class WorkbenchPart {
  /** @type {Component} */ component;
  /** @type {WorkbenchHead} */ head;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = element("div", "wb-part");
    parent.append(this.root);
    this.source = "";
    this.revision = -1;
    /** @type {Workbench | null} */ this.workbench = null;
    const listening = new AbortController();
    this.listening = listening;
    window.addEventListener(DATA_KEPT, () => this.open(), { signal: listening.signal });
    this.filling = new WindowFill(this.root, listening.signal);
    this.themeTimer = window.setInterval(() => this.showTheme(), THEME_MS);
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    this.head = unpack(component.data).head;
    this.filling.fill();
    this.open();
  }

  showTheme() {
    const isDark = applyTheme(this.root) === "dark";
    if (this.root.classList.contains("wb-dark") === isDark) return;
    this.root.classList.toggle("wb-dark", isDark);
    this.workbench?.showTheme();
  }

  /** The data of all that the head names, once they are there. @returns {WorkbenchData | null} */
  get data() {
    const document = this.head && dataOf(this.head.source);
    const lanes = this.head?.lanes.map(({ source, title }) => ({ ...dataOf(source), title })) ?? [];
    return document && lanes.every((lane) => "controls" in lane) ? { ...document, lanes } : null;
  }

  /** Opens the data that the head names, once they are there. */
  open() {
    const { data, head } = this;
    if (!data) return;
    this.showTheme();
    const source = [String(head.comparison), head.source, ...head.lanes.map((lane) => lane.source)].join("\n");
    if (this.source !== source) {
      const earlier = this.workbench?.place;
      this.close();
      this.source = source;
      this.root.classList.toggle("wb-dark", applyTheme(this.root) === "dark");
      this.workbench = new Workbench(this.root, data, {
        onRest: (state) => this.report(state),
        isRemote: head.remote,
        isComparison: head.comparison,
        place: earlier,
      });
      this.revision = -1;
    }
    this.workbench?.pin(head.pinned);
    this.workbench?.setFacts({ setting: head.lanes[head.lane]?.setting, gap: head.selected ?? -1, rows: head.facts });
    if (this.revision !== head.revision) this.follow();
  }

  follow() {
    const { lanes, lane, selected, columns, view, revision } = this.head;
    const isFirst = this.revision < 0;
    this.revision = revision;
    this.workbench?.follow({
      settings: lanes.map(({ setting }) => /** @type {Setting | null} */ (setting)),
      titles: lanes.map(({ title }) => title),
      ...{ lane, gap: selected ?? -1, columns, view: view && { from: view[0], to: view[1] } },
    });
    if (!isFirst && selected !== null) this.root.scrollIntoView({ block: "nearest" });
  }

  /** @param {RestState} state */
  report({ changes, lane, gap, columns, view, isOpened }) {
    const { document: key, source, lanes } = this.head;
    const moved = changes.map((change) => ({ label: lanes[change.lane].label, setting: change.setting, moved: change.moved }));
    /** @type {RestReport} */ const rest = { document: key, source, changes: moved, lane, gap: gap < 0 ? null : gap, columns, view: view && [view.from, view.to], opened: isOpened };
    this.component.setTriggerValue("rest", rest);
  }

  close() {
    this.workbench?.destroy();
    this.workbench = null;
    this.root.replaceChildren();
  }

  destroy() {
    this.listening.abort();
    clearInterval(this.themeTimer);
    this.close();
    this.root.remove();
  }
}

export default mounted(WorkbenchPart);
