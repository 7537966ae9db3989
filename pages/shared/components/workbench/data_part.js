// A part of the app that is made of the data of a workbench: it waits for them and follows the theme.

/** @import { Component } from "../base/dom.js" */
import { BUS } from "../base/bus.js";
import { applyTheme, element } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { DATA_KEPT } from "./kept_data.js";

const THEME_MS = 500; // how often the theme of the page is looked at: no event tells of it

/** What a part shows; `reportNow` reports what has changed, and returns whether anything has. @typedef {{showTheme: () => void, reportNow?: () => boolean, destroy: () => void}} View */

/**
 * The frame of a part: what it shows is a view, made anew for other data.
 *
 * @template {View} Shown
 * @template Head
 */
export class DataPart {
  /** @type {Component} */ component;
  /** @type {Head} */ head;
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
    window.addEventListener(BUS.leave, () => this.view?.reportNow?.(), { signal });
    this.themeTimer = window.setInterval(() => this.showTheme(), THEME_MS);
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    this.head = unpack(component.data).head;
    this.open();
  }

  /** Shows the data that the head names, once they are there. */
  open() {}

  /** Reports to Python; from a page that has been left, nothing: that would empty the other page. @param {string} name @param {unknown} report */
  send(name, report) {
    if (location.pathname === this.path) this.component.setTriggerValue(name, report);
  }

  /** Leaves what is shown for other data. @param {string} source names of these */
  begin(source) {
    this.close();
    this.source = source;
    this.revision = -1;
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
