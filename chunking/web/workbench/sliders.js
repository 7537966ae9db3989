// The sliders of a setting, each with a picture of what it does.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Columns } from "./page_painter.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Control, StrategyModel } from "./segmentation.js" */
import { button, element, setWords } from "../base/dom.js";
import { fixed, number, plural } from "../engine/numbers.js";
import { cleared, strokeLine } from "./canvas.js";
import { sortedSample } from "./sorted.js";

const SMALLEST_SIZE = 8; // tokens
const LARGEST_SIZE = 1024;
const SIZE_STEPS = 400; // positions of a size on its slider, of equal ratio
const SIZE_BINS = 40; // of the histogram of sizes

/** @typedef {"alpha" | "amount" | "size" | "overlap"} Name */
/** @typedef {"alpha" | "amount" | "fineness" | "minimum" | "maximum" | "overlap"} Key */

const TITLES = { alpha: "What decides a cut", amount: "How many cuts", size: "Chunk size", overlap: "Overlap" };
const TABS = { alpha: "decides", amount: "cuts", size: "size", overlap: "overlap" };

/** @type {Record<Key, Name>} */
const PLACE_OF = { alpha: "alpha", amount: "amount", fineness: "amount", minimum: "size", maximum: "size", overlap: "overlap" };

/** How a value is on its slider. @typedef {{toValue: (position: number) => number, toPosition: (value: number) => number}} Scale */

/** @typedef {{key: Key, control: Control, input: HTMLInputElement, value: HTMLButtonElement, scale: Scale}} Slider */

/** @typedef {{cell: HTMLElement, canvas: HTMLCanvasElement, ends: HTMLElement[], tab: HTMLButtonElement, note: HTMLElement}} Cell */

/** What becomes of a move: the setting while a hand is on a slider, and when it lets go. @typedef {{onStart: () => void, onMove: (setting: Setting, moved: Key) => void, onEnd: () => void, onReset: () => void}} SliderEvents */

export class Sliders {
  /** @type {StrategyModel} */ model;
  isRemote = false;

  /** @param {HTMLElement} section @param {SliderEvents} events */
  constructor(section, events) {
    this.section = section;
    this.events = events;
    /** @type {Map<Key, Slider>} */ this.sliders = new Map();
    /** @type {Map<Name, Cell>} */ this.cells = new Map();
    /** @type {Setting | null} */ this.setting = null;
    this.tabs = element("div", "wb-tabs");
    this.tabs.setAttribute("role", "tablist");
    this.tabs.setAttribute("aria-label", "Sliders");
    this.reset = button("wb-button", "Reset");
    this.reset.addEventListener("click", () => events.onReset());
  }

  /** Builds the sliders of a strategy. @param {StrategyModel} model @param {boolean} isRemote whether those can be moved that are not followed here */
  open(model, isRemote) {
    this.model = model;
    this.isRemote = isRemote;
    this.sliders.clear();
    this.cells.clear();
    this.section.replaceChildren(this.tabs);
    this.tabs.replaceChildren();
    this.section.hidden = !model.controls.length;
    for (const control of model.controls) this.addSlider(control);
    this.section.append(this.reset);
    this.select([...this.cells.keys()][0] ?? "alpha");
  }

  /** @param {Control} control */
  addSlider(control) {
    const key = /** @type {Key} */ (control.key);
    const cell = this.cellOf(PLACE_OF[key], control);
    const input = element("input");
    input.type = "range";
    input.disabled = Boolean(control.reason) && !this.isRemote;
    input.dataset.key = key;
    input.setAttribute("aria-label", labelOf(key, control));
    const scale = this.scaleOf(key, control, input);
    const value = button("wb-value");
    value.disabled = input.disabled;
    value.title = "Enter a number";
    cell.cell.querySelector(".wb-caption")?.append(value);
    cell.canvas.after(input);
    const note = input.disabled ? control.reason : control.note;
    if (note && !cell.note.textContent) cell.note.textContent = note;
    const slider = { key, control, input, value, scale };
    this.sliders.set(key, slider);
    this.listen(slider);
  }

  /** @param {Name} name @param {Control} control @returns {Cell} */
  cellOf(name, control) {
    const earlier = this.cells.get(name);
    if (earlier) return earlier;
    const cell = element("div", `wb-control wb-control-${name}`);
    const caption = element("div", "wb-caption");
    const title = element("b", "", name === "amount" && control.key === "fineness" ? "Coarse to fine" : TITLES[name]);
    title.title = control.help;
    caption.append(title);
    const track = element("div", "wb-track");
    const canvas = element("canvas");
    canvas.setAttribute("aria-hidden", "true");
    track.append(canvas);
    const ends = [element("span"), element("span"), element("span")];
    const line = element("div", "wb-ends");
    line.append(...ends);
    const note = element("small", "wb-note");
    cell.append(caption, track, line, note);
    const tab = button("", "");
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => this.select(name));
    this.tabs.append(tab);
    this.section.append(cell);
    const made = { cell, canvas, ends, tab, note };
    this.cells.set(name, made);
    return made;
  }

  /** Shows one slider on a phone. @param {Name} name */
  select(name) {
    for (const [cellName, { cell, tab }] of this.cells) {
      cell.classList.toggle("wb-on", cellName === name);
      tab.setAttribute("aria-selected", String(cellName === name));
      tab.tabIndex = cellName === name ? 0 : -1;
    }
    this.events.onEnd();
  }

  /** @param {Key} key @param {Control} control @param {HTMLInputElement} input @returns {Scale} */
  scaleOf(key, control, input) {
    if (key === "minimum" || key === "maximum") {
      [input.min, input.max, input.step] = ["0", String(SIZE_STEPS), "1"];
      return key === "minimum" ? { toValue: minimumAt, toPosition: positionOfMinimum } : { toValue: maximumAt, toPosition: positionOfMaximum };
    }
    [input.min, input.max, input.step] = [control.low, control.high, control.step].map(String);
    return { toValue: Number, toPosition: Number };
  }

  /** @param {Slider} slider */
  listen({ key, input, value, scale, control }) {
    input.addEventListener("pointerdown", () => this.press());
    input.addEventListener("input", () => this.move(key, scale.toValue(input.valueAsNumber)));
    input.addEventListener("change", () => this.events.onEnd());
    value.addEventListener("click", () => this.editNumber(key, value, control));
  }

  /** A hand is on a slider until it leaves it, whether that has moved or not. */
  press() {
    this.events.onStart();
    const pressed = new AbortController();
    for (const name of ["pointerup", "pointercancel"]) {
      const release = () => {
        pressed.abort();
        this.events.onEnd();
      };
      window.addEventListener(name, release, { signal: pressed.signal });
    }
  }

  /** @param {Key} key @param {number} value */
  move(key, value) {
    if (!this.setting) return;
    const setting = { ...this.setting, [key]: value };
    if (key === "minimum" && setting.maximum && value > setting.maximum) setting.minimum = setting.maximum;
    if (key === "maximum" && value) setting.maximum = Math.max(value, setting.minimum, this.lowestMaximum(setting));
    this.events.onMove(setting, key);
  }

  /** The lowest maximum whose cuts are computed here. @param {Setting} setting */
  lowestMaximum({ overlap, overlapUnit }) {
    return (this.model.places?.longestPiece ?? 1) + (overlapUnit === "tokens" ? overlap : 0);
  }

  /** Lets a number be typed in place of a value. @param {Key} key @param {HTMLButtonElement} value @param {Control} control */
  editNumber(key, value, control) {
    if (!this.setting) return;
    const field = element("input", "wb-number");
    field.type = "number";
    [field.min, field.max, field.step] = [control.low, control.high, control.step].map(String);
    field.value = String(this.setting[key]);
    field.setAttribute("aria-label", control.title);
    value.replaceWith(field);
    field.select();
    let isClosed = false; // taking the field away is a blur as well
    const close = (/** @type {boolean} */ isKept) => {
      if (isClosed) return;
      isClosed = true;
      field.replaceWith(value);
      const entered = field.valueAsNumber;
      if (!isKept || !Number.isFinite(entered)) return;
      this.events.onStart();
      this.move(key, Math.min(Math.max(entered, control.low), control.high));
      this.events.onEnd();
    };
    field.addEventListener("blur", () => close(true));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        event.stopPropagation();
        close(event.key === "Enter");
        value.focus();
      }
    });
  }

  /** Brings the sliders to a setting. @param {Setting} setting */
  show(setting) {
    this.setting = setting;
    for (const { key, input, scale } of this.sliders.values()) {
      const position = String(scale.toPosition(setting[key]));
      if (Number(position) > Number(input.max)) input.max = position;
      if (input.value !== position) input.value = position;
    }
  }

  /** @param {Picture} picture @param {Columns} columns @param {Palette} palette @param {number | null} limit of the encoder */
  draw(picture, columns, palette, limit) {
    const { setting } = picture;
    if (!setting || !this.cells.size) return;
    this.say(picture, setting, columns, limit);
    const drawing = new SliderDrawing(picture, setting, columns, palette, limit);
    for (const [name, { canvas }] of this.cells) {
      if (canvas.clientWidth) drawing.draw(name, canvas, this.sliders);
    }
  }

  /** @param {Picture} picture @param {Setting} setting @param {Columns} columns @param {number | null} limit */
  say(picture, setting, columns, limit) {
    const { alpha, minimum, maximum, overlap, overlapUnit } = setting;
    const meaning = Math.round(100 * alpha);
    this.write("alpha", `α ${decimals(alpha, 2)}`, `${meaning} percent meaning, ${100 - meaning} percent layout`, `${meaning}%`, [`● meaning ${meaning}%`, "", `layout ${100 - meaning}% ◆`]);
    this.writeAmount(picture, setting, columns);
    const reads = limit === null ? "" : `encoder reads ${number.format(limit)}`;
    const [low, high] = [minimum ? number.format(minimum) : "none", maximum ? number.format(maximum) : "none"];
    const range = !minimum && !maximum ? "no limits" : `${minimum ? low : 0}–${maximum ? high : "∞"}`;
    this.write("minimum", `min ${low}`, minimum ? plural(minimum, "token") : "no minimum", range, ["", reads, ""]);
    this.write("maximum", `max ${high}`, maximum ? plural(maximum, "token") : "no maximum", range, ["", reads, ""]);
    const unit = overlapUnit === "tokens" ? "token" : "sentence";
    const most = Number(this.sliders.get("overlap")?.input.max ?? 0);
    this.write("overlap", overlap ? plural(overlap, unit) : "none", overlap ? plural(overlap, unit) : "no overlap", String(overlap || "none"), ["none", "", plural(most, unit)]);
  }

  /** @param {Picture} picture @param {Setting} setting @param {Columns} columns */
  writeAmount({ curves, chunks }, { rule, amount, fineness }, { isPhone }) {
    if (this.sliders.has("fineness")) {
      this.write("fineness", `${decimals(fineness, 1)}`, `fineness ${decimals(fineness, 1)}`, decimals(fineness, 1), ["coarse", this.sliders.get("fineness")?.control.band_words ?? "", "fine"]);
      return;
    }
    const gaps = curves?.score.length ?? 0;
    const above = curves ? countAbove(curves.score, curves.threshold) : 0;
    const share = gaps ? (100 * above) / gaps : 0;
    const strongest = rule === "percentile" ? `strongest ${decimals(100 - amount, 1)}%` : `strongest ${decimals(share, 1)}%`;
    const rules = /** @type {Record<string, string>} */ ({ percentile: "percentile", gradient: "percentile of the slope", standard_deviation: "standard deviations", interquartile: "interquartile ranges" });
    const precise = `${rules[rule]} ${decimals(amount, 2)}`;
    const line = curves && Number.isFinite(curves.threshold) ? `cut line ${fixed(curves.threshold, 3)}` : "";
    this.write("amount", isPhone ? strongest : `${strongest} · ${precise}`, `${strongest} of the gaps, ${precise}, ${plural(chunks.length, "chunk")}`, decimals(amount, 1), ["more cuts", line, "fewer"]);
  }

  /** @param {Key} key @param {string} shown @param {string} spoken @param {string} short for the tab @param {string[]} ends */
  write(key, shown, spoken, short, ends) {
    const slider = this.sliders.get(key);
    const cell = this.cells.get(PLACE_OF[key]);
    if (!slider || !cell) return;
    setWords(slider.value, shown);
    if (slider.input.getAttribute("aria-valuetext") !== spoken) slider.input.setAttribute("aria-valuetext", spoken);
    ends.forEach((words, index) => setWords(cell.ends[index], words));
    const tab = `${TABS[PLACE_OF[key]]}\n${short}`;
    if (cell.tab.textContent !== tab) cell.tab.textContent = tab;
  }
}

/** @param {number} value @param {number} most */
function decimals(value, most) {
  return String(Number(value.toFixed(most)));
}

/** @param {Float64Array} values @param {number} threshold */
export function countAbove(values, threshold) {
  let count = 0;
  for (const value of values) if (value > threshold) count++;
  return count;
}

/** @param {Key} key @param {Control} control */
function labelOf(key, { title, unit }) {
  if (key === "alpha") return "α: balance of meaning and layout";
  if (key === "minimum") return "Minimum, in tokens";
  if (key === "maximum") return "Maximum, in tokens";
  return key === "overlap" ? `Overlap, in ${unit}` : title;
}

const RATIO = LARGEST_SIZE / SMALLEST_SIZE;

/** @param {number} position */
function sizeAt(position) {
  return Math.round((SMALLEST_SIZE * RATIO ** (position / SIZE_STEPS)) / 2) * 2;
}

/** Where a size is, 0 to 1. @param {number} tokens */
function shareOf(tokens) {
  return Math.min(Math.max(Math.log(Math.max(tokens, 1) / SMALLEST_SIZE) / Math.log(RATIO), 0), 1);
}

const minimumAt = (/** @type {number} */ position) => (position <= 0 ? 0 : sizeAt(position));
const maximumAt = (/** @type {number} */ position) => (position >= SIZE_STEPS ? 0 : sizeAt(position));
const positionOfMinimum = (/** @type {number} */ tokens) => (tokens ? Math.max(Math.round(shareOf(tokens) * SIZE_STEPS), 1) : 0);
const positionOfMaximum = (/** @type {number} */ tokens) => (tokens ? Math.min(Math.round(shareOf(tokens) * SIZE_STEPS), SIZE_STEPS - 1) : SIZE_STEPS);

/** One drawing of the pictures of all sliders. */
class SliderDrawing {
  /** @type {CanvasRenderingContext2D} */ context;
  width = 0;
  y = 0;

  /** @param {Picture} picture @param {Setting} setting @param {Columns} columns @param {Palette} palette @param {number | null} limit */
  constructor(picture, setting, { rem, isPhone }, palette, limit) {
    this.picture = picture;
    this.setting = setting;
    this.palette = palette;
    this.limit = limit;
    this.rem = rem;
    this.inset = (isPhone ? 0.875 : 0.56) * rem; // half of a thumb
    this.fromBottom = (isPhone ? 0.875 : 0.625) * rem;
  }

  /** @param {Name} name @param {HTMLCanvasElement} canvas @param {Map<Key, Slider>} sliders */
  draw(name, canvas, sliders) {
    const { clientWidth, clientHeight } = canvas;
    this.context = cleared(canvas, clientWidth, clientHeight);
    this.width = clientWidth - 2 * this.inset;
    this.y = clientHeight - this.fromBottom;
    if (name === "alpha") this.drawAlpha(clientWidth);
    else if (name === "size") this.drawSizes();
    else {
      const slider = sliders.get(name === "overlap" ? "overlap" : sliders.has("fineness") ? "fineness" : "amount");
      if (!slider) return;
      const { control, key } = slider;
      const share = (this.setting[key] - control.low) / Math.max(control.high - control.low, 1e-9);
      if (name === "overlap") this.drawOverlap(share, control.high);
      else this.drawAmount(share, control, key);
    }
  }

  /** @param {number} across */
  drawAlpha(across) {
    const { context, palette, rem, inset, width, y } = this;
    const x = inset + width * this.setting.alpha;
    const height = 0.7 * rem;
    context.save();
    context.beginPath();
    context.roundRect(2, y - height / 2, across - 4, height, 0.2 * rem);
    context.clip();
    context.fillStyle = palette.layout;
    context.fillRect(2, y - height / 2, across, height);
    context.fillStyle = palette.meaning;
    context.fillRect(2, y - height / 2, x - 2, height);
    context.restore();
    context.fillStyle = palette.muted;
    context.globalAlpha = 0.6;
    for (const share of [0, 0.25, 0.5, 0.75, 1]) context.fillRect(inset + width * share - 0.75, y - height / 2 - 0.42 * rem, 1.5, 0.3 * rem);
    context.globalAlpha = 1;
  }

  /** The scores in their order, of which those right of the handle are cut. @param {number} share @param {Control} control @param {Key} key */
  drawAmount(share, control, key) {
    const { context, palette, inset, width, y, picture, rem } = this;
    const scores = picture.curves?.score;
    if (!scores) return;
    const x = inset + width * share;
    if (key === "amount" && scores.length) {
      const sorted = sortedSample(scores);
      const base = y - 0.2 * rem;
      const bars = Math.max(Math.min(Math.floor(width / 4), scores.length), 1);
      const isShare = this.setting.rule === "percentile" || this.setting.rule === "gradient";
      const [low, high] = isShare ? [control.low, control.high] : [0, 100];
      const first = valueAt(sorted, low);
      const spread = valueAt(sorted, 100) - first || 1;
      for (let bar = 0; bar < bars; bar++) {
        const at = low + ((high - low) * (bar + 0.5)) / bars;
        const value = valueAt(sorted, at);
        const isCut = value > (picture.curves?.threshold ?? Infinity);
        context.fillStyle = isCut ? palette.threshold : palette.muted;
        context.globalAlpha = isCut ? 0.85 : 0.28;
        const height = Math.max(1.5, ((value - first) / spread) * (base - 2));
        context.fillRect(inset + (width * bar) / bars + 0.5, base - height, width / bars - 1, height);
      }
      context.globalAlpha = 1;
    }
    this.drawTrack(x, inset + width, palette.threshold);
    if (control.band.length) this.drawBand(control);
  }

  /** The values that the document supports. @param {Control} control */
  drawBand({ band, low, high }) {
    const { context, palette, inset, width, y, rem } = this;
    const [from, to] = band.map((value) => inset + (width * (Math.min(Math.max(value, low), high) - low)) / (high - low));
    context.fillStyle = palette.muted;
    context.globalAlpha = 0.4;
    context.fillRect(from, y - 0.95 * rem, to - from, 0.3 * rem);
    context.globalAlpha = 1;
  }

  /** @param {number} from @param {number} to @param {string} color */
  drawTrack(from, to, color) {
    const { context, palette, inset, width, y } = this;
    context.fillStyle = palette.line;
    context.fillRect(inset, y - 1.5, width, 3);
    context.fillStyle = color;
    context.fillRect(from, y - 1.5, Math.max(to - from, 0), 3);
  }

  /** A histogram of the chunks, with what the encoder reads. */
  drawSizes() {
    const { context, palette, inset, width, y, picture, setting, limit, rem } = this;
    const counts = new Uint32Array(SIZE_BINS);
    for (const { tokens } of picture.chunks) counts[Math.min(Math.floor(shareOf(tokens) * SIZE_BINS), SIZE_BINS - 1)]++;
    const most = Math.max(...counts, 1);
    const base = y - 0.2 * rem;
    counts.forEach((count, bin) => {
      if (!count) return;
      const isOver = limit !== null && SMALLEST_SIZE * RATIO ** ((bin + 0.5) / SIZE_BINS) > limit;
      context.fillStyle = isOver ? palette.text : palette.muted;
      context.globalAlpha = isOver ? 0.9 : 0.5;
      const height = Math.max(3, (count / most) * (base - 3));
      context.fillRect(inset + (width * bin) / SIZE_BINS + 0.5, base - height, width / SIZE_BINS - 1, height);
    });
    context.globalAlpha = 1;
    const place = (/** @type {number} */ position) => inset + (width * position) / SIZE_STEPS;
    this.drawTrack(place(positionOfMinimum(setting.minimum)), place(positionOfMaximum(setting.maximum)), palette.text);
    if (limit === null) return;
    context.strokeStyle = palette.warning;
    context.lineWidth = 1.25;
    context.setLineDash([2, 2]);
    const x = inset + width * shareOf(limit);
    strokeLine(context, x, 0, x, y - 3);
    context.setLineDash([]);
  }

  /** Two chunks, of which the second begins inside the first. @param {number} share @param {number} most */
  drawOverlap(share, most) {
    const { context, palette, inset, width, y, rem } = this;
    this.drawTrack(inset, inset + width * share, palette.text);
    context.fillStyle = palette.muted;
    if (most <= 20) for (let step = 0; step <= most; step++) context.fillRect(inset + (width * step) / most - 0.75, y - 7, 1.5, 5);
    const across = Math.min(width, 8 * rem);
    const left = inset + (width - across) / 2;
    const repeated = across * 0.35 * share;
    context.globalAlpha = 0.6;
    context.fillStyle = palette.tints[0][1];
    context.fillRect(left, 3, across * 0.58, rem / 2);
    context.fillStyle = palette.tints[1][1];
    context.fillRect(left + across * 0.58 - repeated, 3 + 0.62 * rem, across * 0.42 + repeated, rem / 2);
    context.globalAlpha = 1;
  }
}

/** @param {Float64Array} sorted @param {number} percent */
function valueAt(sorted, percent) {
  return sorted[Math.min(Math.round((percent / 100) * (sorted.length - 1)), sorted.length - 1)];
}
