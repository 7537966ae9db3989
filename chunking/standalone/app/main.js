// The page: controls, chart, text and explanation of one document, offline. What it shows before this runs is complete.

/** @import { Setting } from "../../web/engine/cuts.js" */
/** @import { Control, LaneData, Segmentation } from "./lane.js" */
/** @import { TextData } from "./text.js" */
import { number, plural } from "../../web/engine/numbers.js";
import { marksHtml, pathOf, scaleOf, thresholdPlace, ticksHtml } from "./chart.js";
import { laneFrom, segmentationOf, shownSetting } from "./lane.js";
import { fixed } from "./numbers.js";
import { panelHtml } from "./panel.js";
import { chunksHtml } from "./reader.js";
import { SourceText, escaped } from "./text.js";

const MOST_ZOOM = 64;
const READER_DELAY_MS = 60;

/** @typedef {LaneData & {strategy: string, fixed: string[], defaults: Record<string, number>, command: [string, string] | null}} PageLane */
/** @typedef {{text: TextData, lanes: PageLane[], glyphs: Record<string, string>, reasons: Record<string, string>}} PageData */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

class StandalonePage {
  /** @type {import("./lane.js").Lane} */ lane;
  /** @type {Setting | null} */ setting;
  /** What is shown now. @type {Segmentation} */ found;
  /** What the page brought. @type {Segmentation} */ first;
  /** @type {import("./chart.js").Scale} */ scale;
  index = 0;
  gap = -1;
  zoom = 1;
  frame = 0;
  timer = 0;

  /** @param {PageData} data */
  constructor({ text, lanes, glyphs, reasons }) {
    this.text = new SourceText(text);
    this.data = lanes;
    this.glyphs = glyphs;
    this.reasons = reasons;
    this.open(0, false);
    this.listen();
    document.documentElement.classList.add("scripted");
  }

  /** Shows a lane. @param {number} index @param {boolean} drawn whether what the page brought is of another lane */
  open(index, drawn = true) {
    this.index = index;
    this.lane = laneFrom(this.data[index]);
    this.setting = this.lane.setting && { ...this.lane.setting };
    this.found = this.segmented();
    this.first = this.found;
    this.scale = scaleOf(this.lane);
    this.showControls();
    byId("chart").hidden = !this.lane.curves;
    if (drawn) {
      this.drawCurves();
      this.drawText();
    }
    this.status();
    this.select(this.lane.curves ? this.gap : -1);
    document.querySelectorAll("#lanes button").forEach((each, at) => each.setAttribute("aria-pressed", String(at === index)));
  }

  /** @returns {Segmentation} */
  segmented() {
    return segmentationOf(this.lane, this.setting, this.reasons);
  }

  showControls() {
    const { controls } = this.lane;
    byId("controls").hidden = !controls.length;
    byId("sliders").innerHTML = controls.map((each) => this.controlHtml(each)).join("");
  }

  /** @param {Control} control */
  controlHtml({ key, title, unit, help, value, low, high, step, reason, note }) {
    const words = reason || note;
    const range = `${reason && "disabled "}${words && `aria-describedby="why-${key}"`}`;
    const why = words && `<small id="why-${key}">${escaped(words)}</small>`;
    return (
      `<label title="${escaped(help)}"><span>${escaped(title)}<output>${shownNumber(value, step)}</output>${escaped(unit)}</span>` +
      `<input type="range" data-key="${key}" min="${low}" max="${high}" step="${step}" value="${value}" ${range}>${why}</label>`
    );
  }

  listen() {
    byId("sliders").addEventListener("input", ({ target }) => this.moved(/** @type {HTMLInputElement} */ (target)));
    byId("reset").addEventListener("click", () => this.reset());
    byId("lanes")?.addEventListener("click", ({ target }) => {
      const lane = /** @type {Element} */ (target).closest("button")?.dataset.lane;
      if (lane !== undefined) this.open(Number(lane));
    });
    for (const place of ["chunks", "marks"]) {
      byId(place).addEventListener("click", ({ target }) => {
        const gap = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-gap]"))?.dataset.gap;
        if (gap !== undefined) this.select(Number(gap), "chart");
      });
    }
    byId("panel").addEventListener("click", ({ target }) => {
      if (/** @type {Element} */ (target).closest("[data-close]")) this.select(-1);
    });
    const plot = byId("plot");
    plot.addEventListener("click", (event) => this.select(this.gapAt(event), "text"));
    plot.addEventListener("pointermove", (event) => this.point(this.gapAt(event)));
    plot.addEventListener("pointerleave", () => this.point(-1));
    plot.addEventListener("keydown", (event) => this.key(event));
    byId("zoom").addEventListener("click", ({ target }) => {
      const factor = Number(/** @type {HTMLElement} */ (target).dataset.factor);
      if (factor) this.zoomTo(Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM));
    });
  }

  /** @param {HTMLInputElement} slider */
  moved(slider) {
    const control = this.lane.controls.find(({ key }) => key === slider.dataset.key);
    if (!this.setting || !control) return;
    const setting = /** @type {Setting} */ ({ ...this.setting, [control.key]: Number(slider.value) });
    this.setting = shownSetting(this.lane, setting, control.key);
    this.showValues();
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.follow());
  }

  /** Brings the sliders to the present setting. */
  showValues() {
    for (const { key, step } of this.lane.controls) {
      const slider = /** @type {HTMLInputElement} */ (byId("sliders").querySelector(`[data-key="${key}"]`));
      const value = Number(this.setting?.[/** @type {keyof Setting} */ (key)] ?? 0);
      slider.value = String(value);
      const output = slider.closest("label")?.querySelector("output");
      if (output) output.textContent = shownNumber(value, step);
    }
  }

  /** Draws the present setting. */
  follow() {
    this.found = this.segmented();
    this.drawCurves();
    this.status();
    this.explain();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.drawText(), READER_DELAY_MS);
  }

  reset() {
    this.setting = this.lane.setting && { ...this.lane.setting };
    this.showControls();
    this.follow();
  }

  drawCurves() {
    const { scale, found, glyphs } = this;
    const { curves } = found;
    if (!curves) return;
    const shown = { structural: curves.structural, semantic: curves.semantic, fused: curves.structural && curves.fused };
    const slope = this.setting?.rule === "gradient" ? curves.score : null;
    byId("curves").setAttribute("viewBox", `0 0 ${Math.max(scale.count, 1)} 1000`);
    for (const [name, values] of Object.entries({ ...shown, slope })) {
      byId(`curve-${name}`).setAttribute("d", values ? pathOf(scale, values) : "");
    }
    byId("ticks").innerHTML = ticksHtml(this.lane);
    byId("marks").innerHTML = marksHtml(scale, found, glyphs);
    const { top, words } = thresholdPlace(scale, curves);
    const line = byId("threshold");
    line.hidden = !Number.isFinite(curves.threshold);
    line.style.top = top;
    /** @type {HTMLElement} */ (line.firstElementChild).textContent = words;
  }

  drawText() {
    byId("chunks").innerHTML = chunksHtml(this.text, this.found.chunks, this.glyphs, this.lane.curves !== null);
    this.markSelected();
  }

  /** How many boundaries there are, what has changed since the page was made, and the setting in one line. */
  status() {
    const before = new Set(this.first.chunks.map(({ start }) => start));
    const now = this.found.chunks.map(({ start }) => start);
    const added = now.filter((start) => !before.has(start)).length;
    const removed = before.size - (now.length - added);
    const parts = [plural(now.length, "chunk"), added && `${number.format(added)} added`, removed && `${number.format(removed)} removed`];
    byId("status").textContent = parts.filter(Boolean).join(" · ");
    const { strategy, fixed: others, defaults, command } = this.data[this.index];
    const moved = this.lane.controls
      .map(({ name, key }) => ({ name, value: Number(this.setting?.[/** @type {keyof Setting} */ (key)] ?? 0) }))
      .filter(({ name, value }) => value !== defaults[name])
      .map(({ name, value }) => `${name}=${value}`);
    const values = [...others, ...moved];
    byId("setting").textContent = values.length ? `${strategy}:${values.join(";")}` : strategy;
    if (command) byId("command").textContent = [command[0], ...values.map((each) => `-p ${quoted(each)}`), command[1]].join(" ");
  }

  /** @param {MouseEvent} event */
  gapAt({ clientX }) {
    const { left, width } = byId("curves").getBoundingClientRect();
    return Math.min(Math.max(Math.floor(((clientX - left) / width) * this.scale.count), 0), this.scale.count - 1);
  }

  /** Says what the curves are at a gap. @param {number} gap */
  point(gap) {
    const { curves } = this.found;
    const cursor = byId("cursor");
    cursor.hidden = gap < 0;
    if (gap < 0 || !curves) return void (byId("readout").textContent = "");
    cursor.style.left = this.placeOf(gap);
    const values = [["semantic", curves.semantic], ["structural", curves.structural], ["fused", curves.structural && curves.fused]];
    const words = values.filter(([, each]) => each).map(([name, each]) => `${name} ${fixed(/** @type {Float64Array} */ (each)[gap], 3)}`);
    byId("readout").textContent = `gap ${number.format(gap + 1)}: ${words.join(", ")}`;
  }

  /** @param {number} gap */
  placeOf(gap) {
    return `${((100 * (gap + 0.5)) / this.scale.count).toFixed(3)}%`;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") return this.select(-1);
    if (!step) return;
    event.preventDefault();
    const stops = event.shiftKey ? this.found.chunks.map(({ gap }) => gap).filter((gap) => gap >= 0) : null;
    const next = stops ? (step > 0 ? stops.find((gap) => gap > this.gap) : stops.findLast((gap) => gap < this.gap)) : this.gap + step;
    if (next !== undefined && next >= 0 && next < this.scale.count) this.select(next, "text");
  }

  /** Selects a gap, −1 for none, and brings it into view in the other place. @param {number} gap @param {"chart" | "text" | ""} follow */
  select(gap, follow = "") {
    this.gap = gap;
    const line = byId("selected");
    line.hidden = gap < 0;
    if (gap >= 0) line.style.left = this.placeOf(gap);
    this.explain();
    this.markSelected();
    if (gap >= 0 && follow === "text") {
      const chunks = byId("chunks");
      const mark = /** @type {HTMLElement | null} */ (chunks.querySelector(`[data-gap="${gap}"]`));
      if (mark) chunks.scrollTop += mark.getBoundingClientRect().top - chunks.getBoundingClientRect().top - chunks.clientHeight / 3;
    }
    if (gap >= 0 && follow === "chart") this.centre();
  }

  markSelected() {
    const chunks = byId("chunks");
    chunks.querySelector(".selected")?.classList.remove("selected");
    if (this.gap >= 0) chunks.querySelector(`[data-gap="${this.gap}"]`)?.classList.add("selected");
  }

  explain() {
    const { lane, text, found, setting, glyphs, gap } = this;
    const panel = byId("panel");
    panel.classList.toggle("empty", gap < 0);
    if (gap >= 0 && lane.curves) panel.innerHTML = panelHtml({ lane, text, found, setting, glyphs }, gap);
    else panel.innerHTML = lane.curves ? `<p class="quiet">${panel.dataset.hint}</p>` : "";
  }

  /** @param {number} zoom */
  zoomTo(zoom) {
    const scroller = byId("plot");
    const middle = (scroller.scrollLeft + scroller.clientWidth / 2) / scroller.scrollWidth;
    this.zoom = zoom;
    byId("canvas").style.width = `${100 * zoom}%`;
    scroller.scrollLeft = middle * scroller.scrollWidth - scroller.clientWidth / 2;
    if (this.gap >= 0) this.centre();
  }

  centre() {
    const scroller = byId("plot");
    scroller.scrollLeft = ((this.gap + 0.5) / this.scale.count) * scroller.scrollWidth - scroller.clientWidth / 2;
  }
}

/** With as many decimals as its step has, or more where it lies between steps. @param {number} value @param {number} step */
function shownNumber(value, step) {
  const shown = value.toFixed(step >= 1 ? 0 : step >= 0.1 ? 1 : 2);
  return Number(shown) === value ? shown : String(value);
}

/** A word for a shell. @param {string} word */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

new StandalonePage(JSON.parse(byId("data").textContent ?? ""));
