// The strip under the chart of change points: what is cut from coarse to fine, a row for each fineness.
//
// A boundary that a coarse division has is nearly always in the finer ones too, so it is a stem that reaches as high as it
// is important. The row of the setting is marked, and so is that of the automatic number of boundaries.

/** @import { Range } from "../plotly_js/views.js" */
/** @import { Ladder } from "../../../../chunking/web/engine/divisions.js" */
import { element, sized, typeScale } from "../base/dom.js";
import { lowerBound, plural } from "../base/numbers.js";

const STRIP_PX = 64;
const STEM_PX = 2.4;
const WORD_PX = 11;

/**
 * What is drawn.
 *
 * @typedef {object} Shown
 * @property {Ladder | null} ladder divisions from coarse to fine; null while they are made
 * @property {boolean} stale whether they are those of another setting, while its own are made
 * @property {number | null} level fineness of the setting; null where another parameter gives the number of boundaries
 * @property {Range} range visible gaps, from 1
 * @property {number} left pixels before the axis
 * @property {number} width of the axis
 * @property {string} font
 * @property {(role: string) => string} color
 */

/**
 * What a user does with the strip.
 *
 * @typedef {object} Actions
 * @property {(level: number) => void} preview a row is pointed at
 * @property {() => void} end none is any more
 * @property {(level: number) => void} take
 */

/** The row of a fineness. @param {number[]} values ascending @param {number} level */
export function rowOf(values, level) {
  const after = lowerBound(values, level);
  if (after === 0 || after === values.length) return Math.min(after, values.length - 1);
  return level - values[after - 1] < values[after] - level ? after - 1 : after;
}

/** A fineness in words. @param {number} level */
export function levelWords(level) {
  if (!level) return "automatic";
  return `${Number((2 ** level).toPrecision(2))} × automatic`;
}

export class ScaleStrip {
  root = element("div", "cs-scales");
  canvas = element("canvas");
  /** @type {Shown | null} */ shown = null;
  /** The row that is pointed at. @type {number | null} */ row = null;

  /** @param {Actions} actions @param {AbortSignal} signal */
  constructor(actions, signal) {
    this.actions = actions;
    const { root } = this;
    root.append(this.canvas);
    root.hidden = true;
    root.tabIndex = 0;
    root.setAttribute("role", "slider");
    root.setAttribute("aria-orientation", "vertical");
    root.setAttribute("aria-valuenow", "0");
    root.setAttribute("aria-label", "Coarse to fine. Arrow keys preview a level, Enter takes it, Escape goes back.");
    root.addEventListener("pointermove", ({ clientY }) => this.point(this.under(clientY)), { signal });
    root.addEventListener("pointerleave", () => this.leave(), { signal });
    root.addEventListener("blur", () => this.leave(), { signal });
    root.addEventListener("click", ({ clientY }) => this.take(this.under(clientY)), { signal });
    root.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  hide() {
    this.leave(); // or what is pointed at would hold its preview for ever
    this.shown = null;
    this.root.hidden = true;
  }

  /** @param {Shown} shown */
  draw(shown) {
    this.shown = shown;
    this.root.hidden = false;
    const { ladder, left, width, color, font, level, stale } = shown;
    const context = sized(this.canvas, left + width, STRIP_PX);
    this.describe();
    this.words(context, left, color, font);
    context.translate(left, 0);
    if (!ladder) return;
    const { values } = ladder;
    this.band(context, (values.length - 1) / 2, color("muted"), 0.12);
    if (level !== null) this.band(context, rowOf(values, level), color("fused"), 0.3);
    if (this.row !== null) this.band(context, this.row, color("threshold"), 0.3);
    context.fillStyle = color("text");
    context.globalAlpha = stale ? 0.25 : 0.7;
    this.stems(context, ladder, shown);
    context.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} left @param {(role: string) => string} color @param {string} font */
  words(context, left, color, font) {
    context.fillStyle = color("muted");
    const size = WORD_PX * typeScale();
    context.font = `${size}px ${font}`;
    context.textAlign = "right";
    for (const [text, y] of /** @type {[string, number][]} */ ([["coarse", size], ["auto", STRIP_PX / 2 + 4], ["fine", STRIP_PX - 3]])) {
      context.fillText(text, left - 6, y);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} row @param {string} color @param {number} opacity */
  band(context, row, color, opacity) {
    if (!this.shown?.ladder) return;
    const height = STRIP_PX / this.shown.ladder.values.length;
    context.fillStyle = color;
    context.globalAlpha = opacity;
    context.fillRect(0, row * height, this.shown.width, Math.max(height, 2));
    context.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} context @param {Ladder} ladder @param {Shown} shown */
  stems(context, { cuts }, { range: [from, to], width }) {
    const ratio = window.devicePixelRatio || 1;
    // Rows begin on whole pixels of the screen, or their shared edges would show.
    const edge = (/** @type {number} */ row) => Math.round((row * STRIP_PX * ratio) / cuts.length) / ratio;
    cuts.forEach((gaps, row) => {
      const last = lowerBound(gaps, to);
      for (let at = lowerBound(gaps, from - 1); at < last; at++) {
        const x = ((gaps[at] + 1 - from) / (to - from)) * width;
        context.fillRect(x - STEM_PX / 2, edge(row), STEM_PX, edge(row + 1) - edge(row));
      }
    });
  }

  /** Says what the row that counts is. */
  describe() {
    const { ladder, level } = this.shown ?? {};
    const { root } = this;
    const row = this.row ?? (ladder && typeof level === "number" ? rowOf(ladder.values, level) : null);
    if (!ladder || row === null) {
      root.title = ladder ? "The number of boundaries is given by another control." : "";
      root.setAttribute("aria-valuetext", root.title);
      return;
    }
    const { values, cuts } = ladder;
    root.setAttribute("aria-valuemin", String(values[0]));
    root.setAttribute("aria-valuemax", String(values[values.length - 1]));
    root.setAttribute("aria-valuenow", String(values[row]));
    root.title = `${levelWords(values[row])}: ${plural(cuts[row].length, "boundary", "boundaries")}`;
    root.setAttribute("aria-valuetext", root.title);
  }

  // ---- pointer and keys

  /** @param {number} clientY */
  under(clientY) {
    const { ladder, stale } = this.shown ?? {};
    if (!ladder || stale) return null;
    const share = (clientY - this.root.getBoundingClientRect().top) / STRIP_PX;
    return Math.max(0, Math.min(ladder.values.length - 1, Math.floor(share * ladder.values.length)));
  }

  /** @param {number | null} row */
  point(row) {
    const { shown } = this;
    if (row === this.row || row === null || !shown?.ladder) return;
    this.row = row;
    this.draw(shown);
    this.actions.preview(shown.ladder.values[row]);
  }

  leave() {
    if (this.row === null) return;
    this.row = null;
    if (this.shown) this.draw(this.shown);
    this.actions.end();
  }

  /** @param {number | null} row */
  take(row) {
    const { ladder } = this.shown ?? {};
    if (row === null || !ladder) return;
    this.actions.take(ladder.values[row]);
    this.row = null; // leaving must not end the preview, which lasts until Python's answer
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { ladder, level, stale } = this.shown ?? {};
    if (!ladder || stale) return;
    const { values } = ladder;
    const last = values.length - 1;
    const row = this.row ?? rowOf(values, level ?? 0);
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowUp: () => this.point(Math.max(0, row - 1)),
      ArrowDown: () => this.point(Math.min(last, row + 1)),
      Home: () => this.point(0),
      End: () => this.point(last),
      Enter: () => this.take(this.row),
      Escape: () => this.leave(),
    };
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
    event.stopPropagation(); // the chart around it has keys of its own
  }
}
