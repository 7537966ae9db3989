// The strip above the text: the whole document in a line, with a bar for each gap or, where it is widened, the curves.

/** @import { Picture } from "./picture.js" */
/** @import { StripState } from "./strip_drawing.js" */
import { element, remInPixels } from "../base/dom.js";
import { firstWhere, fixed, number } from "../engine/numbers.js";
import { Hatches } from "./canvas.js";
import { CURVES_FROM, StripDrawing } from "./strip_drawing.js";
import { Zoom } from "./zoom.js";

const TALLEST = 26; // rem
const LOWEST = 4;
const STORED_HEIGHT = "chunkscope-strip";

export class Strip {
  /**
   * @param {HTMLElement} section
   * @param {{onPoint: (gap: number) => void, onChoose: (share: number, gap: number) => void, onResize: () => void}} events
   */
  constructor(section, events) {
    this.section = section;
    this.events = events;
    this.canvas = element("canvas", "wb-strip-canvas");
    this.canvas.setAttribute("role", "img");
    this.edge = element("div", "wb-strip-edge");
    section.append(this.canvas);
    this.zoom = new Zoom(section, () => events.onResize());
    this.readout = element("output", "wb-strip-readout");
    section.append(this.readout, this.edge);
    this.hatches = new Hatches();
    /** @type {Float64Array} */ this.positions = new Float64Array();
    this.isDragged = false;
    this.width = 0;
    this.left = 0;
    this.listen();
    this.makeResizable();
  }

  listen() {
    const { canvas, events } = this;
    canvas.addEventListener("pointerdown", (event) => {
      this.isDragged = true;
      canvas.setPointerCapture(event.pointerId);
      events.onChoose(this.shareAt(event), this.gapAt(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.isDragged) events.onChoose(this.shareAt(event), -1);
      events.onPoint(this.gapAt(event));
    });
    canvas.addEventListener("pointerup", () => (this.isDragged = false));
    canvas.addEventListener("pointercancel", () => (this.isDragged = false));
    canvas.addEventListener("pointerleave", () => events.onPoint(-1));
    canvas.addEventListener("wheel", (event) => this.zoom.wheel(event, this.shareAt(event)), { passive: false });
  }

  makeResizable() {
    const { edge, section } = this;
    edge.tabIndex = 0;
    edge.setAttribute("role", "separator");
    edge.setAttribute("aria-orientation", "horizontal");
    edge.setAttribute("aria-label", "Height of the curves");
    edge.setAttribute("aria-valuemin", String(LOWEST));
    edge.setAttribute("aria-valuemax", String(TALLEST));
    const stored = Number(remembered(STORED_HEIGHT));
    if (stored) this.setHeight(stored);
    else edge.setAttribute("aria-valuenow", "6");
    let rem = 16;
    edge.addEventListener("pointerdown", (event) => {
      edge.setPointerCapture(event.pointerId);
      rem = remInPixels();
    });
    edge.addEventListener("pointermove", (event) => {
      if (!edge.hasPointerCapture(event.pointerId)) return;
      this.setHeight((event.clientY - section.getBoundingClientRect().top) / rem);
      this.events.onResize();
    });
    edge.addEventListener("dblclick", () => this.toggle());
    edge.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) this.setHeight(this.heightInRem() + step);
      else if (event.key === "Enter") this.toggle();
      else return;
      event.preventDefault();
      this.events.onResize();
    });
  }

  /** Widens the strip to the curves, or makes it low again. */
  toggle() {
    this.setHeight(this.heightInRem() < CURVES_FROM ? 18 : 6.25);
    this.events.onResize();
  }

  heightInRem() {
    return Number(this.edge.getAttribute("aria-valuenow"));
  }

  /** @param {number} rem */
  setHeight(rem) {
    const height = Math.min(Math.max(rem, LOWEST), TALLEST);
    this.section.style.setProperty("--wb-strip-height", `${height.toFixed(2)}rem`);
    this.edge.setAttribute("aria-valuenow", height.toFixed(1));
    remember(STORED_HEIGHT, height.toFixed(1));
  }

  /** @param {Int32Array} offsets of the gaps @param {number} length of the text */
  open(offsets, length) {
    this.positions = Float64Array.from(offsets, (offset) => offset / Math.max(length, 1));
    this.zoom.show({ from: 0, to: 1 });
  }

  /** The place of the document under the pointer, as a share of its length. @param {MouseEvent} event */
  shareAt({ clientX }) {
    const { left } = this.canvas.getBoundingClientRect();
    return this.zoom.shareAt(clientX - left - this.left, this.width);
  }

  /** @param {MouseEvent} event */
  gapAt(event) {
    const { positions } = this;
    if (!positions.length) return -1;
    const share = this.shareAt(event);
    const after = Math.min(firstWhere(positions.length, (gap) => positions[gap] >= share), positions.length - 1);
    return after && share - positions[after - 1] < positions[after] - share ? after - 1 : after;
  }

  /** @param {Picture} picture @param {StripState} state */
  draw(picture, state) {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientHeight) return;
    const drawing = new StripDrawing(this, picture, state, clientWidth, clientHeight);
    this.left = drawing.left;
    this.width = drawing.width;
    this.section.classList.toggle("wb-wide", drawing.hasCurves);
    drawing.draw();
    this.say(picture, state.marks.hovered);
    const words = picture.curves ? `Distances of ${number.format(this.positions.length)} gaps along the document, ${picture.chunks.length} chunks` : `${picture.chunks.length} chunks along the document`;
    if (this.canvas.getAttribute("aria-label") !== words) this.canvas.setAttribute("aria-label", words);
  }

  /** @param {Picture} picture @param {number} gap */
  say({ curves }, gap) {
    let words = "";
    if (curves && gap >= 0) {
      words = `gap ${number.format(gap + 1)}: meaning ${fixed(curves.semantic[gap], 3)}`;
      if (curves.structural) words += `, layout ${fixed(curves.structural[gap], 3)}, together ${fixed(curves.fused[gap], 3)}`;
    }
    if (this.readout.textContent !== words) this.readout.textContent = words;
  }
}

/** What the browser remembers; nothing where it must not, as in a sandbox. @param {string} key */
function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The page works without it.
  }
}
