// The picture of all settings: dark where a setting is good, with the present one, the best and its equals.

/** @import { Palette } from "../workbench/canvas.js" */
/** @import { Place, SettingsMap } from "./settings_map.js" */
import { element } from "../base/dom.js";
import { fixed, number } from "../engine/numbers.js";
import { cleared, strokeLine } from "../workbench/canvas.js";
import { FONT } from "../workbench/page_painter.js";
import { ALPHA_STEPS } from "./settings_map.js";

const NARROW = 30; // rem of the map below which its lower axis has no title
const MARGINS = { left: 5.2, right: 4.2, top: 0.6, bottom: 4.4 }; // rem around the map

/** What is drawn: the places with their labels, the settings that are as good as the best, and the label of the right axis. @typedef {{now: Place, best: Place | null, region: ((alpha: number, share: number) => boolean) | null, labels: [string, string], right: (count: number) => string, rightTitle: string, palette: Palette, rem: number}} MapState */

export class MapView {
  /** @param {HTMLElement} parent @param {{onPlace: (place: Place) => void, onEnd: () => void, onPoint: (place: Place | null) => void}} events */
  constructor(parent, events) {
    this.canvas = element("canvas", "wb-map");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Every setting at once: α from left to right, the share of places that are cut from bottom to top");
    parent.append(this.canvas);
    this.events = events;
    this.heat = element("canvas");
    /** What the heat was drawn from. */ this.drawn = "";
    this.box = { left: 0, top: 0, width: 1, height: 1 };
    this.highest = 30;
    this.isDragged = false;
    this.listen();
  }

  listen() {
    const { canvas, events } = this;
    canvas.addEventListener("pointerdown", (event) => {
      this.isDragged = true;
      canvas.setPointerCapture(event.pointerId);
      events.onPlace(this.placeAt(event));
    });
    canvas.addEventListener("pointermove", (event) => (this.isDragged ? events.onPlace(this.placeAt(event)) : events.onPoint(this.placeAt(event))));
    canvas.addEventListener("pointerleave", () => events.onPoint(null));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => {
        if (this.isDragged) events.onEnd();
        this.isDragged = false;
      });
    }
  }

  /** The setting under the pointer, in the steps of its controls. @param {PointerEvent} event @returns {Place} */
  placeAt({ clientX, clientY }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const across = Math.min(Math.max((clientX - left - this.box.left) / this.box.width, 0), 1);
    const up = Math.min(Math.max(1 - (clientY - top - this.box.top) / this.box.height, 0), 1);
    const share = Math.max(Math.round(up * this.highest * 2) / 2, 0.5);
    return { alpha: Math.round(across * ALPHA_STEPS) / ALPHA_STEPS, percentile: 100 - share };
  }

  /** @param {SettingsMap} map @param {MapState} state */
  draw(map, state) {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const { rem } = state;
    this.highest = map.highest;
    this.box = {
      left: MARGINS.left * rem,
      top: MARGINS.top * rem,
      width: clientWidth - (MARGINS.left + MARGINS.right) * rem,
      height: clientHeight - (MARGINS.top + MARGINS.bottom) * rem,
    };
    const context = cleared(this.canvas, clientWidth, clientHeight);
    this.drawHeat(context, map, state.palette);
    if (state.region) this.drawRegion(context, map, state);
    this.drawAxes(context, map, state);
    this.drawPlaces(context, state);
  }

  /** @param {Place} place */
  pointOf({ alpha, percentile }) {
    const { left, top, width, height } = this.box;
    const share = Math.min(100 - percentile, this.highest);
    return { x: left + alpha * width, y: top + (1 - share / this.highest) * height };
  }

  /** @param {CanvasRenderingContext2D} context @param {SettingsMap} map @param {Palette} palette */
  drawHeat(context, map, palette) {
    const rows = map.shares.length;
    const highest = map.rows.reduce((most, row) => Math.max(most, ...row), 1e-9);
    const scale = map.judge.by === "people" ? 1 : highest;
    const key = `${map.judge.by} ${map.judge.target} ${map.rows.length} ${rows} ${palette.isDark} ${scale}`;
    if (key !== this.drawn) {
      this.drawn = key;
      this.heat.width = ALPHA_STEPS + 1;
      this.heat.height = rows;
      const heat = /** @type {CanvasRenderingContext2D} */ (this.heat.getContext("2d"));
      const image = heat.createImageData(ALPHA_STEPS + 1, rows);
      map.rows.forEach((row, alpha) =>
        row.forEach((value, index) => image.data.set(colorAt(value / scale, map.judge.by, palette.isDark), 4 * ((rows - 1 - index) * (ALPHA_STEPS + 1) + alpha))),
      );
      heat.putImageData(image, 0, 0);
    }
    const { left, top, width, height } = this.box;
    context.imageSmoothingEnabled = false;
    const half = width / ALPHA_STEPS / 2;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.drawImage(this.heat, left - half, top, width + 2 * half, height);
    context.restore();
  }

  /** The outline of the settings that are as good. @param {CanvasRenderingContext2D} context @param {SettingsMap} map @param {MapState} state */
  drawRegion(context, map, { region, palette }) {
    if (!region) return;
    const { left, top, width, height } = this.box;
    const [across, down] = [width / ALPHA_STEPS, height / map.shares.length];
    const rows = map.shares.length;
    const path = new Path2D();
    const holds = (/** @type {number} */ alpha, /** @type {number} */ share) => alpha >= 0 && alpha <= ALPHA_STEPS && share >= 0 && share < rows && region(alpha, share);
    for (let alpha = 0; alpha <= ALPHA_STEPS; alpha++) {
      for (let share = 0; share < rows; share++) {
        if (!holds(alpha, share)) continue;
        const [from, to] = [left + Math.max(alpha - 0.5, 0) * across, left + Math.min(alpha + 0.5, ALPHA_STEPS) * across];
        const [low, high] = [top + (rows - share) * down, top + (rows - share - 1) * down];
        for (const [isIn, x1, y1, x2, y2] of /** @type {[boolean, number, number, number, number][]} */ ([
          [holds(alpha - 1, share), from, low, from, high], [holds(alpha + 1, share), to, low, to, high],
          [holds(alpha, share - 1), from, low, to, low], [holds(alpha, share + 1), from, high, to, high],
        ])) {
          if (isIn) continue;
          path.moveTo(x1, y1);
          path.lineTo(x2, y2);
        }
      }
    } // prettier-ignore
    for (const [color, wide] of /** @type {[string, number][]} */ ([[palette.surface, 4], [palette.people, 2]])) { // prettier-ignore
      context.strokeStyle = color;
      context.lineWidth = wide;
      context.stroke(path);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {SettingsMap} map @param {MapState} state */
  drawAxes(context, map, { palette, rem, right, rightTitle, now }) {
    const { left, top, width, height } = this.box;
    context.font = `${0.8125 * rem}px ${FONT}`;
    context.fillStyle = palette.muted;
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.strokeRect(left, top, width, height);
    for (let share = 0; share <= map.highest; share += map.highest > 30 ? 10 : 5) {
      const y = top + (1 - share / map.highest) * height;
      context.textAlign = "right";
      if (Math.abs(y - this.pointOf(now).y) > rem) context.fillText(`${share}%`, left - 0.5 * rem, y + 0.28 * rem);
      const index = map.indexOf(share);
      const counts = map.counts[Math.round(now.alpha * ALPHA_STEPS)];
      if (!counts || !share) continue;
      context.textAlign = "left";
      context.fillText(right(counts[index]), left + width + 0.5 * rem, y + 0.28 * rem);
    }
    for (const alpha of [0, 0.25, 0.5, 0.75, 1]) {
      if (Math.abs(alpha - now.alpha) * width < 2 * rem) continue;
      context.textAlign = alpha === 0 ? "left" : alpha === 1 ? "right" : "center";
      context.fillText(String(alpha), left + alpha * width, top + height + 1.2 * rem);
    }
    this.drawWedge(context, palette, rem);
    this.turned(context, "share of the places that are cut", 1.1 * rem, palette, rem);
    this.turned(context, rightTitle, left + width + 3.6 * rem, palette, rem);
  }

  /** What α means, below the map. @param {CanvasRenderingContext2D} context @param {Palette} palette @param {number} rem */
  drawWedge(context, palette, rem) {
    const { left, top, width, height } = this.box;
    const y = top + height + 1.75 * rem;
    context.fillStyle = palette.layout;
    context.fillRect(left, y, width, 0.6 * rem);
    context.fillStyle = palette.meaning;
    context.beginPath();
    context.moveTo(left, y + 0.6 * rem);
    context.lineTo(left + width, y);
    context.lineTo(left + width, y + 0.6 * rem);
    context.fill();
    const under = y + 1.75 * rem;
    context.font = `600 ${0.8125 * rem}px ${FONT}`;
    for (const [words, color, align, x] of /** @type {[string, string, CanvasTextAlign, number][]} */ ([
      ["◆ layout alone", palette.layoutWord, "left", left],
      ["α, what decides a cut", palette.text, "center", left + width / 2],
      ["meaning alone ●", palette.meaning, "right", left + width],
    ])) {
      if (align === "center" && width < NARROW * rem) continue;
      context.fillStyle = color;
      context.textAlign = align;
      context.fillText(words, x, under);
    }
  }

  /** Words from bottom to top. @param {CanvasRenderingContext2D} context @param {string} words @param {number} x @param {Palette} palette @param {number} rem */
  turned(context, words, x, palette, rem) {
    context.save();
    context.translate(x, this.box.top + this.box.height / 2);
    context.rotate(-Math.PI / 2);
    context.font = `600 ${0.8125 * rem}px ${FONT}`;
    context.fillStyle = palette.muted;
    context.textAlign = "center";
    context.fillText(words, 0, 0);
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {MapState} state */
  drawPlaces(context, { now, best, labels, palette, rem }) {
    const { left, top, width, height } = this.box;
    const { x, y } = this.pointOf(now);
    context.strokeStyle = palette.text;
    context.lineWidth = 1;
    strokeLine(context, x, top, x, top + height);
    strokeLine(context, left, y, left + width, y);
    if (best) {
      const point = this.pointOf(best);
      context.beginPath();
      for (const [dx, dy] of [[0, -9], [9, 0], [0, 9], [-9, 0]]) context.lineTo(point.x + dx, point.y + dy); // prettier-ignore
      context.closePath();
      fillRinged(context, palette.people, palette.surface);
      pill(context, labels[1], point.x + 0.9 * rem, point.y, palette.people, palette, rem);
    }
    context.beginPath();
    context.arc(x, y, 7, 0, 2 * Math.PI);
    fillRinged(context, palette.surface, palette.text);
    pill(context, labels[0], x + 0.9 * rem, y + 1.5 * rem, palette.text, palette, rem);
    pill(context, fixed(now.alpha, 2), x - 1 * rem, top + height + 0.95 * rem, palette.text, palette, rem);
    pill(context, `${number.format(100 - now.percentile)}%`, left - 3.1 * rem, y, palette.text, palette, rem);
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} fill @param {string} ring */
function fillRinged(context, fill, ring) {
  context.fillStyle = fill;
  context.strokeStyle = ring;
  context.lineWidth = 3;
  context.fill();
  context.stroke();
}

/** A label on the map. @param {CanvasRenderingContext2D} context @param {string} words @param {number} x its left edge @param {number} y its middle @param {string} color @param {Palette} palette @param {number} rem */
function pill(context, words, x, y, color, palette, rem) {
  context.font = `600 ${0.8125 * rem}px ${FONT}`;
  const width = context.measureText(words).width + 0.7 * rem;
  context.fillStyle = palette.surface;
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(x, y - 0.65 * rem, width, 1.3 * rem, 0.3 * rem);
  context.fill();
  context.stroke();
  context.fillStyle = color;
  context.textAlign = "left";
  context.fillText(words, x + 0.35 * rem, y + 0.28 * rem);
}

/** The ends of the two scales in both themes: green for people, blue for sizes. @type {Record<string, [number[], number[]][]>} */
const SCALES = { people: [[[242, 247, 244], [0, 84, 54]], [[22, 30, 26], [92, 224, 165]]], size: [[[244, 246, 251], [38, 51, 96]], [[20, 24, 34], [150, 178, 245]]] }; // prettier-ignore

/** @param {number} share from 0 to 1 @param {string} by @param {boolean} isDark @returns {[number, number, number, number]} */
export function colorAt(share, by, isDark) {
  const [low, high] = SCALES[by][Number(isDark)];
  const [red, green, blue] = low.map((value, channel) => Math.round(value + Math.min(Math.max(share, 0), 1) * (high[channel] - value)));
  return [red, green, blue, 255];
}
