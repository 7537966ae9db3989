// The workbench as a part of the app: it opens what Python sends, and reports what is at rest.

/** @import { Component } from "../base/dom.js" */
/** @import { RestReport, WorkbenchHead } from "../messages.js" */
/** @import { Setting } from "../../../../chunking/web/engine/cuts.js" */
import { Workbench } from "../../../../chunking/web/workbench/workbench.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { DATA_KEPT, dataOf } from "./kept_data.js";

const LEAST_HEIGHT = 420; // pixels of the workbench in a low window
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
    window.addEventListener("resize", () => this.fill(), { signal: listening.signal });
    this.themeTimer = window.setInterval(() => this.showTheme(), THEME_MS);
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    this.head = unpack(component.data).head;
    this.fill();
    this.open();
  }

  /** Takes the rest of the window's height. */
  fill() {
    const above = this.root.getBoundingClientRect().top + this.scrolled();
    const height = Math.max(Math.floor(window.innerHeight - Math.max(above, 0)) - 1, LEAST_HEIGHT);
    this.root.style.height = `${height}px`;
  }

  scrolled() {
    return this.root.closest("[data-testid='stMain']")?.scrollTop ?? document.querySelector("[data-testid='stMain']")?.scrollTop ?? 0;
  }

  showTheme() {
    const isDark = applyTheme(this.root) === "dark";
    if (this.root.classList.contains("wb-dark") === isDark) return;
    this.root.classList.toggle("wb-dark", isDark);
    this.workbench?.showTheme();
  }

  /** Opens the data that the head names, once they are there. */
  open() {
    const data = this.head && dataOf(this.head.source);
    if (!data) return;
    this.showTheme();
    if (this.source !== this.head.source) {
      const earlier = this.workbench?.place;
      this.close();
      this.source = this.head.source;
      this.root.classList.toggle("wb-dark", applyTheme(this.root) === "dark");
      this.workbench = new Workbench(this.root, data, {
        onRest: (setting, moved, gap) => this.report(setting, moved, gap),
        isRemote: this.head.remote,
        place: earlier,
      });
      this.revision = -1;
    }
    const { setting, selected, facts, pinned } = this.head;
    this.workbench?.pin(pinned);
    this.workbench?.setFacts({ setting, gap: selected ?? -1, rows: facts });
    if (this.revision !== this.head.revision) {
      this.revision = this.head.revision;
      this.workbench?.follow(/** @type {Setting | null} */ (this.head.setting), this.head.selected ?? -1);
    }
  }

  /** @param {Setting | null} setting @param {string[]} moved @param {number} gap */
  report(setting, moved, gap) {
    const { document: key, source, strategy } = this.head;
    /** @type {RestReport} */ const rest = { document: key, source, strategy, setting, moved, gap: gap < 0 ? null : gap };
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
