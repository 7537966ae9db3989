// The map of settings as a part of the app: it opens what Python sends, and reports what is at rest.

/** @import { Component } from "../base/dom.js" */
/** @import { TunedReport, TunerHead } from "../messages.js" */
/** @import { ChoiceData, Tuned } from "../../../../chunking/web/tuning/tuner.js" */
import { Tuner } from "../../../../chunking/web/tuning/tuner.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { DATA_KEPT, dataOf } from "../workbench/kept_data.js";
import { WindowFill } from "../workbench/window_fill.js";

const THEME_MS = 500; // how often the theme of the page is looked at: no event tells of it

class TunerPart {
  /** @type {Component} */ component;
  /** @type {TunerHead} */ head;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = element("div", "wb-part");
    parent.append(this.root);
    this.source = "";
    this.revision = -1;
    /** @type {Tuner | null} */ this.tuner = null;
    this.listening = new AbortController();
    window.addEventListener(DATA_KEPT, () => this.open(), { signal: this.listening.signal });
    this.filling = new WindowFill(this.root, this.listening.signal);
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
    this.tuner?.showTheme();
  }

  /** @returns {Tuned} */
  get tuned() {
    const { setting, selected, judge, target } = this.head;
    return { setting, gap: selected ?? -1, judge: judge === "people" ? "people" : "size", target };
  }

  /** Opens the data that the head names, once they are there. */
  open() {
    const { head } = this;
    const [document, lane] = head ? [dataOf(head.source), dataOf(head.lane)] : [];
    if (!document || !lane) return;
    this.showTheme();
    const source = `${head.source}\n${head.lane}`;
    if (this.source !== source) {
      this.close();
      this.source = source;
      this.root.classList.toggle("wb-dark", applyTheme(this.root) === "dark");
      this.tuner = new Tuner(this.root, { ...document, lanes: [lane] }, this.tuned, {
        onRest: (tuned, isOpened) => this.report(tuned, isOpened),
      });
      this.revision = -1;
    }
    if (this.revision === head.revision) return;
    this.revision = head.revision;
    this.tuner?.follow(this.tuned, /** @type {ChoiceData | null} */ (head.choice));
  }

  /** @param {Tuned} tuned @param {boolean} isOpened */
  report({ setting, gap, judge, target }, isOpened) {
    /** @type {TunedReport} */ const report = { document: this.head.document, setting, gap: gap < 0 ? null : gap, judge, target, opened: isOpened };
    this.component.setTriggerValue("tuned", report);
  }

  close() {
    this.tuner?.destroy();
    this.tuner = null;
    this.root.replaceChildren();
  }

  destroy() {
    this.listening.abort();
    clearInterval(this.themeTimer);
    this.close();
    this.root.remove();
  }
}

export default mounted(TunerPart);
