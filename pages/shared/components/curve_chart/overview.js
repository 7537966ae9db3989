// The strip under a long chart: where its boundaries lie dense, and which part is visible.

/** @import { Range } from "../plotly_js/views.js" */
import { element, sized } from "../base/dom.js";
import { number } from "../base/numbers.js";
import { movedTo, zoomedAt } from "../plotly_js/views.js";

const HEIGHT = 20;
const EDGE_PX = 6; // around an edge of the visible part, where it is dragged alone
const LEAST = 4; // gaps that stay visible

/**
 * How many boundaries lie in each of `buckets` equal stretches of the gaps.
 *
 * @param {ArrayLike<number>} boundaries
 * @param {number} gaps
 * @param {number} buckets
 */
export function density(boundaries, gaps, buckets) {
  const counts = new Uint32Array(buckets);
  for (let i = 0; i < boundaries.length; i++) counts[Math.floor((boundaries[i] * buckets) / gaps)]++;
  return counts;
}

/**
 * The part that is visible once the pointer has moved from one place to another.
 *
 * @param {Range} range where it began
 * @param {Range} full
 * @param {"all" | "from" | "to"} grip what is dragged
 * @param {number} by gaps
 * @returns {Range}
 */
export function dragged([from, to], full, grip, by) {
  if (grip === "from") return [Math.max(full[0], Math.min(to - LEAST, from + by)), to];
  if (grip === "to") return [from, Math.min(full[1], Math.max(from + LEAST, to + by))];
  return movedTo([from, to], full, from + by);
}

export class Overview {
  root = element("div", "cs-overview");
  canvas = element("canvas");
  /** @type {{gaps: number, boundaries: ArrayLike<number>, range: Range, full: Range, width: number, color: (role: string) => string} | null} */
  shown = null;

  /** @param {(range: Range | null) => void} show @param {AbortSignal} signal */
  constructor(show, signal) {
    this.show = show;
    this.root.append(this.canvas);
    this.root.hidden = true;
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.root.addEventListener("pointerdown", (event) => this.pressed(event), { signal });
    this.root.addEventListener("dblclick", () => show(null), { signal });
    this.root.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  /** @param {{gaps: number, boundaries: ArrayLike<number>, range: Range, full: Range, left: number, width: number, color: (role: string) => string}} shown */
  draw({ left, ...shown }) {
    this.shown = shown;
    this.root.hidden = false;
    const { gaps, boundaries, range, width, color } = shown;
    this.root.style.marginLeft = `${left}px`;
    this.root.style.width = `${width}px`;
    this.root.setAttribute("aria-label", `Overview: ${this.visible()}. Arrow keys move, plus and minus zoom, Escape shows all.`);
    const context = sized(this.canvas, width, HEIGHT);
    const counts = density(boundaries, gaps, Math.max(1, Math.min(gaps, Math.floor(width / 3))));
    const most = counts.reduce((one, other) => Math.max(one, other), 1);
    const step = width / counts.length;
    context.fillStyle = color("both");
    counts.forEach((count, place) => {
      if (!count) return;
      context.globalAlpha = 0.15 + (0.85 * count) / most;
      context.fillRect(place * step, 4, Math.ceil(step), HEIGHT - 8);
    });
    const [from, to] = range.map((edge) => this.pixelOf(edge));
    context.globalAlpha = 0.12;
    context.fillStyle = color("text");
    context.fillRect(0, 0, from, HEIGHT);
    context.fillRect(to, 0, width - to, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = color("muted");
    context.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), HEIGHT - 1);
  }

  /** What is visible, in words. */
  visible() {
    if (!this.shown) return "";
    const { gaps, range, full } = this.shown;
    if (range[0] <= full[0] && range[1] >= full[1]) return `all ${number.format(gaps)} gaps visible`;
    const [first, last] = [Math.ceil(range[0]), Math.floor(range[1])].map((gap) => number.format(gap));
    return `gaps ${first} to ${last} of ${number.format(gaps)} visible`;
  }

  hide() {
    this.shown = null;
    this.root.hidden = true;
  }

  /** @param {number} gap */
  pixelOf(gap) {
    if (!this.shown) return 0;
    const { full, width } = this.shown;
    return ((gap - full[0]) / (full[1] - full[0])) * width;
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (!this.shown || event.button !== 0) return;
    const { range, full, width } = this.shown;
    const gapsAPixel = (full[1] - full[0]) / width;
    const x = event.clientX - this.root.getBoundingClientRect().left;
    const [from, to] = range.map((edge) => this.pixelOf(edge));
    /** @type {"all" | "from" | "to"} */
    const grip = Math.abs(x - from) < EDGE_PX ? "from" : Math.abs(x - to) < EDGE_PX ? "to" : "all";
    // A press beside the visible part brings it there first.
    const began = grip === "all" && (x < from || x > to) ? movedTo(range, full, full[0] + x * gapsAPixel - (range[1] - range[0]) / 2) : range;
    if (began !== range) this.show(began);
    this.root.setPointerCapture(event.pointerId);
    const until = new AbortController();
    const moved = (/** @type {PointerEvent} */ { clientX }) => this.show(dragged(began, full, grip, (clientX - event.clientX) * gapsAPixel));
    this.root.addEventListener("pointermove", moved, { signal: until.signal });
    for (const end of ["pointerup", "pointercancel"]) this.root.addEventListener(end, () => until.abort(), { signal: until.signal });
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.shown) return;
    const { range, full } = this.shown;
    const step = (range[1] - range[0]) / 4;
    const middle = (range[0] + range[1]) / 2;
    /** @type {Record<string, () => Range | null>} */
    const actions = {
      ArrowLeft: () => movedTo(range, full, range[0] - step),
      ArrowRight: () => movedTo(range, full, range[0] + step),
      "+": () => zoomedAt(range, middle, 0.5, LEAST),
      "-": () => zoomedAt(range, middle, 2, LEAST),
      Escape: () => null,
    };
    const action = actions[event.key];
    if (!action) return;
    this.show(action());
    event.preventDefault();
    event.stopPropagation(); // the chart around it has keys of its own
  }
}
