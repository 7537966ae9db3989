// Zoom along a document: which part of it a line shows.

import { element } from "../base/dom.js";

const MOST_ZOOM = 64;
const NEARLY_WHOLE = 0.995; // of the document, from which all of it is shown

/** A part of the document, in shares of its length. @typedef {{from: number, to: number}} View */

/** What is seen of a document on an axis, with two buttons. */
export class Zoom {
  /** @param {HTMLElement} parent of the buttons @param {() => void} onChange */
  constructor(parent, onChange) {
    this.onChange = onChange;
    /** @type {View} */ this.view = { from: 0, to: 1 };
    this.outwards = this.button("−", "Zoom out", 0.5);
    this.inwards = this.button("+", "Zoom in", 2);
    parent.append(this.outwards, this.inwards);
    this.mark();
  }

  /** @param {string} words @param {string} label @param {number} factor */
  button(words, label, factor) {
    const made = element("button", "wb-zoom", words);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => this.by(factor, (this.view.from + this.view.to) / 2));
    return made;
  }

  get isWhole() {
    return this.view.to - this.view.from >= 1;
  }

  /** Shows a part of the document. @param {View} view */
  show({ from, to }) {
    const span = to - from > NEARLY_WHOLE ? 1 : Math.max(to - from, 1 / MOST_ZOOM);
    const begin = Math.min(Math.max(from, 0), 1 - span);
    this.view = { from: begin, to: begin + span };
    this.mark();
  }

  mark() {
    this.outwards.disabled = this.isWhole;
  }

  /** @param {number} factor @param {number} centre share of the document that stays where it is */
  by(factor, centre) {
    const { from, to } = this.view;
    const span = Math.min(Math.max((to - from) / factor, 1 / MOST_ZOOM), 1);
    const begin = centre - ((centre - from) / (to - from)) * span;
    this.show({ from: begin, to: begin + span });
    this.onChange();
  }

  /** Zooms with the wheel while Ctrl or Shift is held. @param {WheelEvent} event @param {number} centre */
  wheel(event, centre) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    this.by(event.deltaY + event.deltaX < 0 ? 1.25 : 0.8, centre);
  }

  /** The place on an axis of that width. @param {number} share of the document @param {number} width */
  x(share, width) {
    const { from, to } = this.view;
    return ((share - from) / (to - from)) * width;
  }

  /** The share of the document at a place of the axis. @param {number} x @param {number} width */
  shareAt(x, width) {
    const { from, to } = this.view;
    return from + Math.min(Math.max(x / Math.max(width, 1), 0), 1) * (to - from);
  }
}
