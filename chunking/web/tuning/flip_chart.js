// What each α would cut: for every place and every α, how much of the document must be cut until that place is.

/** @import { Palette } from "../workbench/canvas.js" */
/** @import { Place } from "./settings_map.js" */
import { element } from "../base/dom.js";
import { lowerBound } from "../engine/numbers.js";
import { fuse } from "../engine/thresholds.js";
import { cleared, strokeLine } from "../workbench/canvas.js";
import { FONT } from "../workbench/page_painter.js";
import { ALPHA_STEPS } from "./settings_map.js";

const HEIGHT = 13; // rem
const AXIS = 2.4; // rem at the left
const LOWEST_TENTHS = 500; // of the percentile
const HIGHEST_TENTHS = 999;
const COLUMNS = 1200; // places of the picture at most; of several gaps in one, the strongest

export class FlipChart {
  /** @param {HTMLElement} parent @param {(gap: number, place: Place | null) => void} onPlace gets null where no setting cuts the place at that α */
  constructor(parent, onPlace) {
    this.canvas = element("canvas", "wb-flips");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "For each place of the document and each α, how easily it is cut");
    this.note = element("p", "wb-hint", "Dark: cut sooner. Each column is a place of the document, each row an α. A click sets both values so that the place is just cut.");
    parent.append(this.canvas, this.note);
    this.onPlace = onPlace;
    this.image = element("canvas");
    this.key = "";
    /** Share of the gaps with a smaller distance, a row for each α. @type {Float64Array[]} */ this.below = [];
    this.canvas.addEventListener("click", (event) => this.click(event));
  }

  /** @param {Float64Array} semantic @param {Float64Array} structural @param {string} key names them */
  open(semantic, structural, key) {
    if (key === this.key) return;
    this.key = key;
    this.gaps = semantic.length;
    this.below = Array.from({ length: ALPHA_STEPS + 1 }, (_, alpha) => sharesBelow(fuse(semantic, structural, alpha / ALPHA_STEPS)));
    this.paint();
  }

  paint() {
    const { gaps = 0 } = this;
    const columns = Math.min(gaps, COLUMNS);
    this.image.width = Math.max(columns, 1);
    this.image.height = ALPHA_STEPS + 1;
    const context = /** @type {CanvasRenderingContext2D} */ (this.image.getContext("2d"));
    const picture = context.createImageData(this.image.width, ALPHA_STEPS + 1);
    this.below.forEach((row, alpha) => {
      const highest = new Float32Array(Math.max(columns, 1));
      row.forEach((share, gap) => {
        const column = Math.floor((gap * columns) / gaps);
        highest[column] = Math.max(highest[column], share);
      });
      highest.forEach((share, column) => {
        // The few at the top matter: half of the darkness is for the strongest fifth.
        const dark = share ** 3.1;
        picture.data.set([31, 95, 168, Math.round(255 * dark)], 4 * ((ALPHA_STEPS - alpha) * this.image.width + column));
      });
    });
    context.putImageData(picture, 0, 0);
  }

  /** @param {Place} now @param {Iterable<number>} cuts gaps that are cut now @param {Set<number>} people @param {Palette} palette @param {number} rem */
  draw(now, cuts, people, palette, rem) {
    const { clientWidth, clientHeight } = this.canvas;
    const { gaps = 0 } = this;
    if (!clientWidth || !gaps) return;
    const context = cleared(this.canvas, clientWidth, clientHeight);
    const [left, width, height] = [AXIS * rem, clientWidth - AXIS * rem, clientHeight - 1.4 * rem];
    context.imageSmoothingEnabled = false;
    context.drawImage(this.image, left, 0, width, height);
    const x = (/** @type {number} */ gap) => left + ((gap + 0.5) / gaps) * width;
    const y = (1 - now.alpha) * height;
    context.fillStyle = palette.text;
    for (const gap of cuts) context.fillRect(x(gap) - 1, y - 5, 2, 10);
    context.strokeStyle = palette.threshold;
    strokeLine(context, left, y, left + width, y);
    context.fillStyle = palette.people;
    for (const gap of people) {
      context.beginPath();
      for (const [dx, dy] of [[-4, 8], [4, 8], [0, 1]]) context.lineTo(x(gap) + dx, height + dy); // prettier-ignore
      context.fill();
    }
    context.font = `${0.75 * rem}px ${FONT}`;
    context.fillStyle = palette.muted;
    context.textAlign = "right";
    for (const [alpha, words] of /** @type {[number, string][]} */ ([[0, "α 0"], [0.5, "0.5"], [1, "1"]])) // prettier-ignore
      context.fillText(words, left - 4, Math.min(Math.max((1 - alpha) * height + 4, 0.7 * rem), height));
  }

  /** @param {MouseEvent} event */
  click({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const rem = height / HEIGHT;
    const { gaps = 0 } = this;
    const gap = Math.min(Math.max(Math.floor(((clientX - left - AXIS * rem) / (width - AXIS * rem)) * gaps), 0), gaps - 1);
    const up = Math.min(Math.max(1 - (clientY - top) / (height - 1.4 * rem), 0), 1);
    const row = Math.round(up * ALPHA_STEPS);
    const percentile = justBelow(this.below[row][gap]);
    this.onPlace(gap, percentile === null ? null : { alpha: row / ALPHA_STEPS, percentile });
  }
}

/** Which share of the others is smaller than each value. @param {Float64Array} values */
export function sharesBelow(values) {
  const sorted = Float64Array.from(values).sort();
  return Float64Array.from(values, (value) => lowerBound(sorted, value) / Math.max(values.length - 1, 1));
}

/**
 * The highest percentile of the slider at which a gap is cut; null where that is below its lowest. A gap is cut while the
 * percentile is below the share of the others that are smaller.
 *
 * @param {number} share
 */
export function justBelow(share) {
  const tenths = Math.ceil(1000 * share - 1e-9) - 1;
  return tenths < LOWEST_TENTHS ? null : Math.min(tenths, HIGHEST_TENTHS) / 10;
}
