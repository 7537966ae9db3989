// Tune: the map of all settings, what the present one does beside the best, and why. A move is followed in one frame.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { Picture } from "../workbench/picture.js" */
/** @import { StrategyData } from "../workbench/segmentation.js" */
/** @import { WorkbenchData } from "../workbench/workbench_state.js" */
/** @import { Judge, Place } from "./settings_map.js" */
import { button, element, remInPixels, setWords } from "../base/dom.js";
import { wholeNumbers } from "../base/packed.js";
import { keptOf } from "../engine/limits.js";
import { fixed, number, plural, signed } from "../engine/numbers.js";
import { SourceText } from "../text/source_text.js";
import { paletteOf } from "../workbench/canvas.js";
import { Comparison } from "../workbench/comparison.js";
import { EncoderLimit } from "../workbench/encoder_limit.js";
import { Lanes } from "../workbench/lanes.js";
import { Picture as PictureOf, averagesOf } from "../workbench/picture.js";
import { StrategyModel, placesFrom } from "../workbench/segmentation.js";
import { Strip } from "../workbench/strip.js";
import { sizesInWords } from "../workbench/verdict.js";
import { FlipChart } from "./flip_chart.js";
import { MapView } from "./map_view.js";
import { ALPHA_STEPS, SettingsMap, isNear, nearRange } from "./settings_map.js";

const REPORT_MS = 300; // without a move, after which a setting is reported
const USUAL_HIGHEST = 30; // percent of the places
const LARGEST_TARGET = 2000; // tokens
const FEW_CUTS = 20; // of people, below which no choice is sure
const POINTS = 0.05; // of the best share of the text, within which settings are as good

/** What Python found by the reference: the best setting and its honest score, the settings as good as it, and whether it is better than the default (1), worse (−1) or neither is known (0). @typedef {{best: [number, number], honest: number[], region: string[], shares: number[], better: number, difference: number[], cuts: number}} ChoiceData */

/** What is chosen on the page. @typedef {{setting: Setting, gap: number, judge: "people" | "size", target: number}} Tuned */

/** What was left, and whether it is to be seen on Inspect; and that a hand has left the map. @typedef {{onRest: (tuned: Tuned, isOpened: boolean) => void, onRelease: () => void}} TunerEvents */

export class Tuner {
  /** @type {Setting} */ setting;
  /** @type {Picture} */ picture;
  /** @type {ChoiceData | null} */ choice = null;
  /** @type {SettingsMap} */ map;
  /** A setting that is pointed at. @type {Place | null} */ pointed = null;
  /** @type {HTMLElement} */ words;
  /** @type {HTMLElement} */ title;
  /** @type {HTMLElement} */ legendWords;
  /** @type {HTMLElement} */ ramp;
  /** @type {HTMLElement[]} */ ends;
  /** @type {HTMLElement} */ spoken;
  /** @type {HTMLButtonElement} */ byPeople;
  /** @type {HTMLButtonElement} */ bySize;
  /** @type {HTMLInputElement} */ target;
  /** @type {HTMLInputElement[]} */ inputs;
  /** @type {HTMLDetailsElement} */ details;
  /** @type {{root: HTMLElement, head: HTMLElement, words: HTMLElement, more: HTMLElement}[]} */ lines;
  /** @type {MapView} */ view;
  /** @type {Strip} */ strip;
  /** @type {Lanes} */ rows;
  /** @type {FlipChart} */ flips;
  gap = -1;
  hovered = -1;

  /** @param {HTMLElement} root @param {Omit<WorkbenchData, "lanes"> & {lanes: StrategyData[]}} data @param {Tuned} tuned @param {TunerEvents} events */
  constructor(root, { text, places, limit, people, lanes, reasons, kinds }, tuned, events) {
    this.root = root;
    this.events = events;
    root.classList.add("wb", "wb-tuner");
    this.source = new SourceText(text);
    this.limit = limit && new EncoderLimit(limit);
    const ownPlaces = places && placesFrom(places);
    this.model = new StrategyModel(lanes[0], ownPlaces, this.source.offsets.length, reasons, kinds);
    this.averages = averagesOf(this.model);
    this.tokens = ownPlaces?.gapGround.tokens ?? null;
    this.comparison = new Comparison(this.source, wholeNumbers(people.gaps), people.complete);
    this.palette = paletteOf(root);
    this.judge = /** @type {Judge} */ ({ by: tuned.judge, target: tuned.target });
    this.setting = tuned.setting;
    this.gap = tuned.gap;
    this.frame = 0;
    this.restTimer = 0;
    this.isDragging = false;
    this.build();
    this.makeMap();
    this.resizing = new ResizeObserver(() => this.request());
    this.resizing.observe(root);
    document.fonts?.ready.then(() => this.request());
  }

  get rem() {
    return remInPixels();
  }

  /** @returns {Place} */
  get place() {
    return { alpha: this.setting.alpha, percentile: this.setting.amount };
  }

  // ---- parts

  build() {
    const [header, left, right] = [element("header", "wb-verdict"), element("section", "wb-tuner-map"), element("aside", "wb-tuner-side")];
    this.words = element("h2");
    this.words.dataset.verdict = "";
    header.append(this.words, this.judgeChoice());
    this.legend = element("div", "wb-tuner-legend");
    this.legendWords = element("span");
    this.ramp = element("i", "wb-tuner-ramp");
    this.ends = [element("span"), element("span")];
    this.title = element("b");
    this.legend.append(this.title, this.legendWords, this.ends[0], this.ramp, this.ends[1]);
    left.append(this.legend);
    this.view = new MapView(left, { onPlace: (place) => this.drag(place), onEnd: () => this.endDrag(), onPoint: (place) => this.point(place) });
    left.append(this.sliders());
    this.lines = ["○ Your setting", "◆ Best on this text", "▢ As good, as far as one can tell"].map((title) => this.line(title));
    const buttons = element("div", "wb-tuner-buttons");
    const [best, usual, open] = [button("wb-button wb-primary", "Use the best"), button("wb-button", "Default"), button("wb-button", "Open in Inspect")];
    best.addEventListener("click", () => this.best && this.moveTo(this.best));
    usual.addEventListener("click", () => this.moveTo({ alpha: this.model.setting?.alpha ?? 0.5, percentile: this.model.setting?.amount ?? 85 }));
    open.addEventListener("click", () => this.report(true));
    buttons.append(best, usual, open);
    const strip = element("section", "wb-strip");
    this.strip = new Strip(strip, { onPoint: (gap) => this.hover(gap), onChoose: (_, gap) => this.choose(gap), onResize: () => this.request() });
    const rows = element("section", "wb-lanes");
    right.append(...this.lines.map(({ root }) => root), buttons, element("h3", "", "What it cuts"), strip, rows, this.fold());
    this.rows = new Lanes(rows, ["now", "best"], this.comparison, {
      onPoint: (gap) => this.hover(gap),
      onChoose: (_, __, gap) => this.choose(gap),
      onZoom: () => this.request(),
    });
    this.spoken = element("div", "wb-spoken");
    this.spoken.setAttribute("aria-live", "polite");
    const work = element("div", "wb-tuner-work");
    work.append(left, right);
    this.root.append(header, work, this.spoken);
  }

  /** What a setting is judged by. */
  judgeChoice() {
    const made = element("div", "wb-judge");
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", "Judge by");
    const { size } = this.comparison.people;
    this.byPeople = button("wb-button", size ? `people's cuts ${number.format(size)}` : "people's cuts: none yet");
    this.byPeople.disabled = !this.comparison.isScored;
    if (this.byPeople.disabled) this.byPeople.title = size ? "The reviews do not cover the whole document yet" : "Set boundaries on the Review page, or open a file of them under “Your own chunks” on Compare";
    this.bySize = button("wb-button", "chunk size, about");
    this.target = element("input");
    Object.assign(this.target, { type: "number", min: "10", max: String(LARGEST_TARGET), step: "10", value: String(this.judge.target) });
    this.target.setAttribute("aria-label", "Size of a chunk, in tokens");
    this.byPeople.addEventListener("click", () => this.judgeBy("people"));
    this.bySize.addEventListener("click", () => this.judgeBy("size"));
    this.target.addEventListener("change", () => this.judgeBy("size"));
    made.append(element("span", "wb-hint", "Judge by"), this.byPeople, this.bySize, this.target, element("span", "wb-hint", "tokens"));
    return made;
  }

  /** @param {"people" | "size"} by */
  judgeBy(by) {
    const target = Math.min(Math.max(Math.round(Number(this.target.value)) || 150, 10), LARGEST_TARGET);
    this.target.value = String(target);
    this.judge = { by, target };
    this.makeMap();
    this.restLater();
  }

  /** The two values as sliders, which keys move. */
  sliders() {
    const made = element("div", "wb-tuner-sliders");
    this.inputs = /** @type {const} */ (["alpha", "percentile"]).map((name) => {
      const input = element("input");
      const isAlpha = name === "alpha";
      Object.assign(input, { type: "range", min: isAlpha ? "0" : "50", max: isAlpha ? "1" : "99.9", step: isAlpha ? "0.01" : "0.1" });
      input.setAttribute("aria-label", isAlpha ? "α: balance of layout and meaning" : "Percentile of the threshold");
      input.addEventListener("input", () => this.moveTo({ ...this.place, [name]: Number(input.value) }));
      const row = element("label");
      row.append(element("span", "", isAlpha ? "α" : "Percentile"), input);
      made.append(row);
      return input;
    });
    return made;
  }

  /** @param {string} title */
  line(title) {
    const root = element("section", "wb-tuner-line");
    const [head, words, more] = [element("h3", "", title), element("p", "wb-tuner-words"), element("p", "wb-hint")];
    root.append(head, words, more);
    return { root, head, words, more };
  }

  fold() {
    const made = element("details");
    made.append(element("summary", "", "What would each α cut?"));
    this.flips = new FlipChart(made, (gap, place) => {
      this.choose(gap);
      if (place) this.moveTo(place);
    });
    made.addEventListener("toggle", () => this.request());
    this.details = made;
    return made;
  }

  // ---- state

  /** Computes the map of the present measure, a part at a time. */
  makeMap() {
    const { curves } = this.model;
    if (!curves) throw new Error("There are no curves.");
    const { semantic, structural } = curves;
    const held = this.model.source?.held;
    const kept = held ? keptOf(held, this.setting.keepTogether) : null;
    const source = { semantic, structural, tokens: this.tokens, people: this.comparison.people, kept };
    const highest = 100 - this.setting.amount > USUAL_HIGHEST ? 50 : USUAL_HIGHEST;
    const map = new SettingsMap(source, this.judge, highest);
    this.map = map;
    const work = () => {
      if (this.map !== map) return;
      const isMore = map.work();
      this.request();
      if (isMore) setTimeout(work);
    };
    work();
  }

  /** The setting that is best by the present measure. @returns {Place | null} */
  get best() {
    if (!this.map.isComplete) return null;
    if (this.judge.by === "people" && this.choice) return { alpha: this.choice.best[0], percentile: this.choice.best[1] };
    return this.map.best.place;
  }

  /** Shows what Python has chosen or found. @param {Tuned} tuned @param {ChoiceData | null} choice */
  follow({ setting, gap, judge, target }, choice) {
    this.choice = choice;
    if (!this.restTimer) {
      this.setting = setting;
      this.gap = gap;
      if (judge !== this.judge.by || target !== this.judge.target) {
        this.judge = { by: judge, target };
        this.target.value = String(target);
        this.makeMap();
      } else if (100 - setting.amount > this.map.highest) this.makeMap();
    }
    this.request();
  }

  /** @param {Place} place */
  moveTo({ alpha, percentile }) {
    this.setting = { ...this.setting, alpha, amount: percentile };
    if (100 - percentile > this.map.highest) this.makeMap();
    this.request();
    this.restLater();
  }

  /** @param {Place} place */
  drag(place) {
    this.isDragging = true;
    this.moveTo(place);
  }

  endDrag() {
    this.isDragging = false;
    this.restLater();
    this.events.onRelease();
  }

  /** @param {Place | null} place */
  point(place) {
    this.pointed = place;
    this.request();
  }

  /** @param {number} gap */
  hover(gap) {
    if (gap === this.hovered) return;
    this.hovered = gap;
    this.request();
  }

  /** @param {number} gap */
  choose(gap) {
    this.gap = gap;
    this.request();
    this.restLater();
  }

  restLater() {
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => {
      if (this.isDragging) return this.restLater();
      this.report(false);
    }, REPORT_MS);
  }

  /** Reports what is shown where that is due; returns whether it was. */
  reportNow() {
    const isDue = this.restTimer > 0;
    if (isDue) this.report(false);
    return isDue;
  }

  /** @param {boolean} isOpened whether the setting is to be seen on Inspect */
  report(isOpened) {
    clearTimeout(this.restTimer);
    this.restTimer = 0;
    this.spoken.textContent = this.words.innerText;
    this.events.onRest({ setting: this.setting, gap: this.gap, judge: this.judge.by, target: this.judge.target }, isOpened);
  }

  // ---- drawing

  request() {
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.update();
      });
    }
  }

  /** @param {Place} place */
  pictureAt({ alpha, percentile }) {
    return new PictureOf(this.source, this.model, { ...this.setting, alpha, amount: percentile }, this.limit, this.averages);
  }

  update() {
    const { best, comparison } = this;
    this.picture = this.pictureAt(this.place);
    const ideal = best ? this.pictureAt(best) : this.picture;
    comparison.open([this.picture.segmentation, ideal.segmentation]);
    this.say(ideal, best);
    this.drawMap(best, ideal);
    this.drawSide();
    this.inputs.forEach((input, index) => (input.value = String(index ? this.setting.amount : this.setting.alpha)));
  }

  /** The quality of a picture by the present measure. @param {Picture} picture @param {number} lane */
  qualityOf({ chunks }, lane) {
    if (this.judge.by === "people") return this.comparison.score(lane) ?? NaN;
    const all = chunks.reduce((sum, { tokens }) => sum + tokens, 0);
    return all ? chunks.reduce((sum, { tokens }) => sum + (isNear(tokens, this.judge.target) ? tokens : 0), 0) / all : 0;
  }

  /** A quality as it is written. @param {number} value */
  written(value) {
    return this.judge.by === "people" ? fixed(value, 2) : `${fixed(100 * value, 0)}%`;
  }

  /** @param {Picture} ideal @param {Place | null} best */
  say(ideal, best) {
    const { judge, picture, comparison } = this;
    const isPeople = judge.by === "people";
    const [now, top] = [this.qualityOf(picture, 0), this.qualityOf(ideal, 1)];
    const [cuts, wanted] = [comparison.lanes[0].gaps.size, comparison.people.size];
    const [low, high] = nearRange(judge.target);
    this.byPeople.setAttribute("aria-pressed", String(isPeople));
    this.bySize.setAttribute("aria-pressed", String(!isPeople));
    setWords(this.words, isPeople ? peopleWords(cuts, wanted, now, this.map.betterCount(this.place)) : `${this.written(now)} of the text is in chunks of ${number.format(low)}–${number.format(high)} tokens. ${best ? `The best setting reaches ${this.written(top)}.` : ""}`);
    const near = isPeople ? "agreement" : `near ${number.format(judge.target)} tokens:`;
    this.write(0, `${placeWords(this.place)}: ${isPeople ? `${near} ${this.written(now)}` : `${this.written(now)} near ${number.format(judge.target)} tokens`}`, this.doesWords(picture, 0));
    if (!best) return;
    this.write(1, `${placeWords(best)}: ${isPeople ? `${near} ${this.written(top)}` : `${this.written(top)} near ${number.format(judge.target)} tokens`}`, `${this.doesWords(ideal, 1)}${this.honestWords}`);
    this.sayRegion();
  }

  /** @param {number} line @param {string} words @param {string} more */
  write(line, words, more) {
    setWords(this.lines[line].words, words);
    setWords(this.lines[line].more, more);
  }

  /** @param {Picture} picture @param {number} lane */
  doesWords({ chunks }, lane) {
    const sizes = `${plural(chunks.length, "chunk")}${sizesInWords(chunks.map(({ tokens }) => tokens))}`;
    if (this.judge.by !== "people") return sizes;
    const { missed, added } = this.comparison.differences(lane);
    const { size } = this.comparison.people;
    return `${sizes}Finds ${number.format(size - missed.length)} of ${number.format(size)}, cuts at ${number.format(added.length)} other ${added.length === 1 ? "place" : "places"}.`;
  }

  /** The score on parts that the best was not chosen from. */
  get honestWords() {
    if (this.judge.by !== "people" || !this.choice) return "";
    const [value, low, high] = this.choice.honest;
    const between = Number.isFinite(low) ? ` (${fixed(low, 2)}–${fixed(high, 2)})` : "";
    return Number.isFinite(value) ? ` On parts it was not chosen from: ${fixed(value, 2)}${between}.` : "";
  }

  sayRegion() {
    const { judge, choice } = this;
    setWords(this.lines[2].head, judge.by === "people" ? "▢ As good, as far as one can tell" : "▢ Within 5 points of it");
    const region = this.region;
    const more = judge.by === "size" ? "Size does not say whether a place is good. Mark a few cuts in Review, and this map judges by them." : choice ? differenceWords(choice) : "";
    this.write(2, region ? regionWords(this.map, region) : "", more);
  }

  /** Whether a setting is as good as the best; null where that is not known yet. @returns {((alpha: number, share: number) => boolean) | null} */
  get region() {
    const { map, judge, choice } = this;
    if (!map.isComplete) return null;
    if (judge.by === "size") {
      const { value } = map.best;
      return (alpha, share) => map.rows[alpha][share] >= value - POINTS;
    }
    if (!choice) return null;
    const columns = new Map(choice.shares.map((share, index) => [share, index]));
    return (alpha, share) => choice.region[alpha]?.[columns.get(map.shares[share]) ?? -1] === "1";
  }

  /** @param {Place | null} best @param {Picture} ideal at the best */
  drawMap(best, ideal) {
    const { judge, map, palette, rem, pointed } = this;
    const isPeople = judge.by === "people";
    const quality = (/** @type {Place} */ place) => this.written(map.valueAt(place));
    const total = this.model.at(this.setting).chunks.reduce((sum, { tokens }) => sum + tokens, 0);
    const highest = map.isComplete ? map.best.value : 0;
    setWords(this.legendWords, pointed ? `${placeWords(pointed)}: ${Number.isFinite(map.valueAt(pointed)) ? quality(pointed) : "…"}` : isPeople ? "agreement with people" : `text in chunks near ${number.format(judge.target)} tokens`);
    const { minimum, softMinimum, maximum } = this.setting;
    const isLimited = minimum > 0 || softMinimum > 0 || maximum > 0;
    setWords(this.title, `Every setting at once${isLimited ? ", before size limits" : ""}`);
    setWords(this.ends[0], isPeople ? "0" : "0%");
    setWords(this.ends[1], isPeople ? "1" : `${fixed(100 * highest, 0)}%`);
    this.ramp.classList.toggle("wb-by-size", !isPeople);
    this.view.draw(map, {
      now: this.place,
      best,
      region: this.region,
      labels: [`now ${this.written(this.qualityOf(this.picture, 0))}`, best ? `best ${this.written(this.qualityOf(ideal, 1))}` : ""],
      right: (count) => number.format(isPeople ? count + 1 : Math.round(total / (count + 1))),
      rightTitle: isPeople ? "chunks" : "tokens a chunk, on average",
      palette,
      rem,
    });
  }

  drawSide() {
    const { picture, palette, comparison, rem, gap, hovered } = this;
    const people = Int32Array.from(comparison.people, (cut) => this.source.offsets[cut]);
    const columns = { rem, width: 0, left: 0, right: 0, base: 0, barWidth: 0, isPhone: true };
    if (this.strip.positions.length !== this.source.offsets.length) this.strip.open(this.source.offsets, this.source.length);
    this.strip.draw(picture, { columns, palette, seen: null, threshold: "", marks: { selected: gap, hovered, people, before: null, words: ["", ""] } });
    this.rows.draw({ chosen: 0, seen: null, selected: gap, hovered, palette });
    if (!this.details.open) return;
    const { curves } = this.model;
    if (!curves?.structural) return;
    this.flips.open(curves.semantic, curves.structural, this.source.text);
    this.flips.draw(this.place, comparison.lanes[0].gaps, comparison.people, palette, rem);
  }

  /** Draws in the colours that the style sheet has now. */
  showTheme() {
    this.palette = paletteOf(this.root);
    this.request();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.restTimer);
    this.resizing.disconnect();
  }
}

/** @param {number} own @param {number} wanted @param {number} score @param {number} better cuts of a setting of this α that agrees better, −1 for none */
function peopleWords(own, wanted, score, better) {
  const counts = `${plural(own, "cut")}, they made ${number.format(wanted)}.`;
  if (score > 0.995) return `You cut where people do: ${counts}`;
  const advice = better < 0 || better === own ? "" : better < own ? " Fewer cuts agree better." : " More cuts agree better.";
  if (own > 1.15 * wanted) return `You cut more often than people do: ${counts}${advice}`;
  if (own < 0.85 * wanted) return `You cut less often than people do: ${counts}${advice}`;
  return `You cut about as often as people do, partly elsewhere: ${counts}${advice}`;
}

/** @param {Place} place */
function placeWords({ alpha, percentile }) {
  return `α ${fixed(alpha, 2)}, strongest ${number.format(Number((100 - percentile).toFixed(1)))}%`;
}

/** Whether the best is better than the default elsewhere, in words. @param {ChoiceData} choice */
function differenceWords({ better, difference: [value, low, high], cuts }) {
  if (!Number.isFinite(value)) return "";
  const between = Number.isFinite(low) ? ` (${signed(low, 2)} to ${signed(high, 2)})` : "";
  const few = cuts < FEW_CUTS ? ` ${plural(cuts, "cut")} of people ${cuts === 1 ? "is" : "are"} too few to be sure.` : "";
  if (better > 0) return `Where it was not chosen from, it beats the default by ${fixed(value, 2)}${between}.${few}`;
  if (better < 0) return `Where it was not chosen from, the default is better: ${signed(value, 2)}${between}.${few}`;
  return `Whether it beats the default elsewhere is open: ${signed(value, 2)}${between}.${few}`;
}

/** The ranges of α and of the share that a region spans, in words. @param {SettingsMap} map @param {(alpha: number, share: number) => boolean} region */
function regionWords(map, region) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let alpha = 0; alpha <= ALPHA_STEPS; alpha++) {
    map.shares.forEach((share, index) => {
      if (!region(alpha, index)) return;
      [left, right, low, high] = [Math.min(left, alpha), Math.max(right, alpha), Math.min(low, share), Math.max(high, share)];
    });
  }
  if (right < left) return "Only the best itself.";
  const alphas = left <= 2 && right >= ALPHA_STEPS - 2 ? "nearly any α" : `α ${fixed(left / ALPHA_STEPS, 2)} to ${fixed(right / ALPHA_STEPS, 2)}`;
  return `The outline: ${alphas}, strongest ${number.format(low)} to ${number.format(high)}%.`;
}
