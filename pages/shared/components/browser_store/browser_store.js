// Keeps short texts in the browser, and reports those of earlier visits.

/** @import { Component } from "../base/dom.js" */
import { mounted, takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { readItems, writeItems } from "./items.js";

class BrowserStore {
  /** @type {Record<string, string>} */ written = {};

  /** @param {HTMLElement} parent */
  constructor(parent) {
    takeNoRoom(parent);
  }

  /** @param {Component} component */
  update({ data, setStateValue }) {
    const { head } = unpack(data);
    /** @type {Record<string, string>} */ let items = {};
    try {
      writeItems(localStorage, head.document, head.items, this.written);
      this.written = head.items;
      items = readItems(localStorage, head.document);
    } catch (error) {
      console.warn("Chunkscope: the browser keeps nothing.", error);
    }
    if (!head.known) setStateValue("items", { document: head.document, items });
  }

  destroy() {}
}

export default mounted(BrowserStore);
