// A table for each value of a control: it follows the control while that is moved, before Python answers.

/** @import { Component } from "../base/dom.js" */
/** @import { Bar, SteppedTableBody } from "../messages.js" */
import { applyTheme, element, mounted } from "../base/dom.js";
import { visible } from "../../../../chunking/web/base/text.js";
import { unpack } from "../base/wire.js";
import { followSliders } from "../base/followed_sliders.js";
import { placeAt } from "./values.js";

class SteppedTables {
  /** @type {SteppedTableBody} */ given;
  control = "";
  content = "";
  place = -1;
  abort = new AbortController();
  root = element("div", "cs");
  box = element("div", "cs-learn-table");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "region");
    this.root.append(this.box);
    parent.append(this.root);
    followSliders(() => ({ [this.control]: "value" }), (_, value) => this.show(value), this.abort.signal);
  }

  /** @param {Component} component */
  update({ data }) {
    const { head, body } = unpack(data);
    applyTheme(this.root);
    this.control = head.control;
    if (head.content !== this.content) {
      this.content = head.content;
      this.given = body();
      this.place = -1;
    }
    this.show(this.moving() ?? head.value);
  }

  /** What the control shows while the user holds it: what Python says is older then. */
  moving() {
    const held = document.activeElement;
    const isHere = held instanceof HTMLInputElement && held.type === "range" && held.closest(`.st-key-${CSS.escape(this.control)}`);
    return isHere ? Number(held.value) : null;
  }

  /** @param {number} value */
  show(value) {
    const place = placeAt(this.given.values, value);
    if (place === this.place) return;
    this.place = place;
    const { caption, lead, head, rows } = this.given.tables[place];
    const table = element("table");
    if (head.length) table.append(rowOf("th", head));
    table.append(...rows.map((row) => rowOf("td", row)));
    this.box.setAttribute("aria-label", caption);
    this.box.replaceChildren(...(lead ? [element("div", "cs-side", visible(lead))] : []), element("b", "", caption), table);
  }

  destroy() {
    this.abort.abort();
    this.root.remove();
  }
}

/** @param {"td" | "th"} tag @param {readonly (string | Bar)[]} cells */
function rowOf(tag, cells) {
  const row = element("tr");
  row.append(...cells.map((cell) => (typeof cell === "string" ? element(tag, "", visible(cell)) : barOf(tag, cell))));
  return row;
}

/** @param {"td" | "th"} tag @param {Bar} bar */
function barOf(tag, bar) {
  const cell = element(tag);
  const frame = element("div", "cs-bar");
  const filled = element("i", bar.role);
  filled.style.width = `${100 * Math.min(Math.max(bar.share, 0), 1)}%`;
  frame.append(filled);
  cell.append(frame);
  return cell;
}

export default mounted(SteppedTables);
