// A part of the app that is made of the data of a workbench: it waits for them and follows the theme.

/** @import { Component } from "../base/dom.js" */
import { BUS } from "../base/bus.js";
import { applyTheme, element } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { DATA_KEPT } from "./kept_data.js";

const THEME_MS = 500; // how often the theme of the page is looked at: no event tells of it

/**
 * What a part shows; `reportNow` reports what has changed, and returns whether anything has; `isAwaiting` is whether the
 * last report is not known to have arrived.
 *
 * @typedef {object} View
 * @property {boolean} isDragging whether a hand is on it
 * @property {() => void} showTheme
 * @property {() => boolean} reportNow
 * @property {boolean} [isAwaiting]
 * @property {() => void} destroy
 */

/**
 * The frame of a part: what it shows is a view, made anew for other data. Not while a hand is on it, and what was not
 * reported yet is reported before, or by the new view.
 *
 * @template {View} Shown
 * @template Head
 * @template Data
 */
export class DataPart {
  /** @type {Component} */ component;
  /** What Python has sent last. @type {Head | undefined} */ next;
  /** What is shown. @type {Head} */ head;
  /** Names of the data that are shown. */ source = "";
  /** Of the page that the part is on. */ path = location.pathname;
  revision = -1;
  /** @type {Shown | null} */ view = null;

  /** @param {HTMLElement} parent @param {string} [className] */
  constructor(parent, className = "wb-part") {
    this.root = element("div", className);
    parent.append(this.root);
    this.listening = new AbortController();
    const { signal } = this.listening;
    window.addEventListener(DATA_KEPT, () => this.open(), { signal });
    window.addEventListener(BUS.leave, (event) => {
      this.view?.reportNow();
      if (this.view?.isAwaiting) event.preventDefault();
    }, { signal }); // prettier-ignore
    this.themeTimer = window.setInterval(() => this.showTheme(), THEME_MS);
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    this.next = unpack(component.data).head;
    this.open();
  }

  /** Shows what Python has sent last, once its data are there. */
  open() {
    const { next } = this;
    const data = next && this.dataFor(next);
    if (!data) return;
    const source = this.namesIn(next);
    if (this.source !== source) {
      if (this.view?.isDragging) return;
      const { view } = this;
      const earlier = view && this.placeOf(view);
      if (!this.isResumed(data, earlier)) view?.reportNow();
      this.head = next;
      this.source = source;
      this.revision = -1;
      this.close();
      this.showTheme();
      this.view = this.build(data, earlier);
    }
    this.head = next;
    this.show(data);
  }

  /** The data of all that a head names; null until they are there. @param {Head} _head @returns {Data | null} */
  dataFor(_head) {
    return null;
  }

  /** The names of the data for which a view is made. @param {Head} _head @returns {string} */
  namesIn(_head) {
    return "";
  }

  /** Where the reader of a view is. @param {Shown} _view @returns {unknown} */
  placeOf(_view) {
    return null;
  }

  /** Whether a view of data would report itself what was not reported by the view before it. @param {Data} _data @param {any} _earlier where the reader of that view was @returns {boolean} */
  isResumed(_data, _earlier) {
    return false;
  }

  /** Makes a view of data. @param {Data} _data @param {any} _earlier where the reader of the view before it was @returns {Shown | null} */
  build(_data, _earlier) {
    return null;
  }

  /** Shows what the head says of the data. @param {Data} _data */
  show(_data) {}

  /** Reports to Python; from a page that has been left, nothing: that would empty the other page. @param {string} name @param {unknown} report */
  send(name, report) {
    if (location.pathname === this.path) this.component.setTriggerValue(name, report);
  }

  showTheme() {
    const isDark = applyTheme(this.root) === "dark";
    if (this.root.classList.contains("wb-dark") === isDark) return;
    this.root.classList.toggle("wb-dark", isDark);
    this.onTheme();
  }

  /** The theme is another. */
  onTheme() {
    this.view?.showTheme();
  }

  close() {
    this.view?.destroy();
    this.view = null;
    this.root.replaceChildren();
  }

  destroy() {
    this.listening.abort();
    clearInterval(this.themeTimer);
    this.close();
    this.root.remove();
  }
}
