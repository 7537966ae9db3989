// The workbench: one owner of a setting, and everything that depends on it. A move of a slider is followed in one frame.

/** @import { Packed } from "../base/packed.js" */
/** @import { Setting } from "../engine/cuts.js" */
/** @import { Run, ViewName } from "../text/document_text.js" */
/** @import { LayoutBody } from "../text/layout.js" */
/** @import { TextData } from "../text/source_text.js" */
/** @import { LimitData } from "./encoder_limit.js" */
/** @import { Columns, Marks } from "./page_painter.js" */
/** @import { Averages } from "./picture.js" */
/** @import { Facts } from "./panel.js" */
/** @import { PlacesData, StrategyData } from "./segmentation.js" */
/** @import { Reference } from "./verdict.js" */
import { button, element } from "../base/dom.js";
import { wholeNumbers } from "../base/packed.js";
import { admissible } from "../engine/limits.js";
import { fixed } from "../engine/numbers.js";
import { DocumentText } from "../text/document_text.js";
import { Layout } from "../text/layout.js";
import { SourceText } from "../text/source_text.js";
import { paletteOf } from "./canvas.js";
import { EncoderLimit } from "./encoder_limit.js";
import { Geometry } from "./geometry.js";
import { Lanes } from "./lanes.js";
import { PagePainter } from "./page_painter.js";
import { Panel } from "./panel.js";
import { Picture, averagesOf } from "./picture.js";
import { StrategyModel, placesFrom } from "./segmentation.js";
import { Sliders } from "./sliders.js";
import { Strip } from "./strip.js";
import { TableDialog } from "./table.js";
import { Verdict } from "./verdict.js";

const PHONE = 700; // pixels of width below which the sliders are at the bottom
const REST_MS = 300; // without a move, after which a setting is reported

/** @typedef {{elements: Record<"kind" | "depth" | "start" | "end" | "level" | "title", Packed>, substitutions: Record<"start" | "end" | "text", Packed>, kind_names: string[], names: string[], reflowed: boolean}} LayoutData */

/** A strategy of the workbench; `f1` is its agreement with people at its first setting. @typedef {StrategyData & {f1: number | null}} LaneData */

/**
 * @typedef {object} WorkbenchData
 * @property {TextData} text
 * @property {{starts: Packed, mono: Packed}} runs of the text: where they begin, and whether they are of a fixed width
 * @property {LayoutData | null} layout
 * @property {PlacesData | null} places
 * @property {LimitData | null} limit
 * @property {Packed} people offsets of reference boundaries
 * @property {LaneData[]} lanes
 * @property {Record<string, string>} reasons
 */

/**
 * Where a reader was: the view, the offset at its top, and the document; and what was moved of which controls, but not
 * reported yet.
 *
 * @typedef {{view: ViewName, offset: number, text: string, moved: Partial<Setting>, controls: string, focused: string | null}} Place
 */

/**
 * What surrounds the workbench. `onSetting` is called at every move, `onRest` when setting or gap have not moved for a
 * while; `isRemote` tells that somebody answers `onRest` who computes what cannot be computed here.
 *
 * @typedef {object} Surroundings
 * @property {(setting: Setting, lane: number) => void} [onSetting]
 * @property {(setting: Setting | null, moved: string[], gap: number, lane: number) => void} [onRest]
 * @property {boolean} [isRemote]
 * @property {Place} [place] where the reader of an earlier workbench was
 */

export class Workbench {
  /** @type {SourceText} */ source;
  /** Offsets of reference boundaries. @type {Int32Array} */ people;
  /** @type {EncoderLimit | null} */ limit;
  /** @type {StrategyModel[]} */ models;
  /** The present setting of each. @type {(Setting | null)[]} */ settings;
  /** Their agreement with people at their first settings. @type {(number | null)[]} */ scores;
  /** @type {Layout | null} */ layout;
  /** @type {Run[]} */ runs;
  /** @type {ViewName} */ view;
  /** @type {HTMLElement} */ pane;
  /** @type {HTMLElement} */ page;
  /** @type {HTMLElement} */ article;
  /** @type {HTMLElement} */ live;
  /** @type {DocumentText} */ text;
  /** @type {PagePainter} */ painter;
  /** @type {Verdict} */ verdict;
  /** @type {Sliders} */ sliders;
  /** @type {Strip} */ strip;
  /** @type {Panel} */ panel;
  /** @type {TableDialog} */ tables;
  /** @type {Lanes | null} */ lanes;
  /** @type {HTMLElement} */ path;
  /** @type {HTMLButtonElement[]} */ viewButtons = [];
  /** @type {StrategyModel} */ model;
  /** @type {Averages} */ averages;
  /** The strategy at its first setting. @type {Picture} */ first;
  /** @type {Picture} */ picture;
  /** What the present setting is compared with. @type {Reference} */ reference;
  /** @type {Picture | null} */ pinned = null;
  /** @type {Geometry} */ geometry;
  /** @type {Columns} */ columns;
  lane = 0;
  /** What was moved since the last report. @type {Partial<Setting>} */ moved = {};

  /** @param {HTMLElement} root @param {WorkbenchData} data @param {Surroundings} surroundings */
  constructor(root, data, surroundings = {}) {
    this.root = root;
    this.surroundings = surroundings;
    root.classList.add("wb");
    this.readData(data);
    this.buildParts();
    this.selected = -1;
    this.hovered = -1;
    this.isDragging = false;
    this.isUntouched = true; // until the user has chosen a gap, or none
    this.frame = 0;
    this.restTimer = 0;
    this.palette = paletteOf(root);
    const { place } = surroundings;
    const isSame = place?.text === data.text.text;
    if (place && isSame && (place.view === "source" || this.layout)) this.view = place.view;
    this.text.show(this.view);
    this.openLane(0);
    if (place && isSame) this.pane.scrollTop = this.geometry.positionAt(place.offset).y;
    if (place?.controls === this.controls) this.moved = place.moved;
    this.sliderNamed(place?.focused ?? "")?.focus({ preventScroll: true });
    this.listen();
  }

  /** Shows what somebody else knows of a gap at a setting. @param {Facts} facts */
  setFacts(facts) {
    this.panel.facts = facts;
    this.request();
  }

  /** Where the reader is. @returns {Place} */
  get place() {
    const { view, geometry, pane, source, moved, controls } = this;
    const focused = /** @type {Document | ShadowRoot} */ (this.root.getRootNode()).activeElement;
    const name = focused && this.root.contains(focused) ? focused.ariaLabel : null;
    return { view, offset: geometry.offsetAt(pane.scrollTop), text: source.text, moved, controls, focused: name };
  }

  /** @param {string} name */
  sliderNamed(name) {
    return Array.from(this.root.querySelectorAll("input")).find(({ ariaLabel }) => name && ariaLabel === name);
  }

  /** The names of the sliders, by which two strategies of the same kind are known. */
  get controls() {
    return this.model.controls.map(({ name }) => name).join();
  }

  /** The strongest cut in view, as an example of what the panel is for; none behind a heading, where layout deceives. */
  exampleInView() {
    const { picture, geometry, model } = this;
    const headings = model.curves?.features?.values[model.curves.features.names.indexOf("after_heading")];
    const last = geometry.gapBelow(this.pane.scrollTop + this.pane.clientHeight - 60);
    let example = -1;
    for (let gap = geometry.gapBelow(this.pane.scrollTop); gap < last; gap++) {
      if (!picture.isCut(gap) || (headings?.[gap] ?? 0) > 0) continue;
      if (example < 0 || picture.excessOf(gap).total > picture.excessOf(example).total) example = gap;
    }
    return example;
  }

  /**
   * Shows a setting and a gap that somebody else has chosen. What the user has moved since the last report stays as moved.
   *
   * @param {Setting | null} given @param {number} gap
   */
  follow(given, gap) {
    if (given && this.model.setting) {
      const setting = admissible({ ...given, ...this.moved });
      this.settings[this.lane] = setting;
      this.picture = this.pictureOf(setting);
      this.sliders.show(setting);
      if (Object.keys(this.moved).length) this.restLater();
    }
    if (gap < 0 && this.isUntouched && !this.columns.isPhone) gap = this.exampleInView();
    if (gap !== this.selected && gap < this.source.offsets.length) {
      this.isUntouched &&= gap < 0 || gap === this.exampleInView();
      this.selected = gap;
      if (gap >= 0) this.bringIntoView(gap);
      this.root.classList.toggle("wb-sheet", this.columns.isPhone && gap >= 0);
    }
    this.request();
  }

  /** @param {WorkbenchData} data */
  readData({ text, runs, layout, places, limit, people, lanes, reasons }) {
    this.source = new SourceText(text);
    this.people = wholeNumbers(people);
    this.limit = limit && new EncoderLimit(limit);
    const ownPlaces = places && placesFrom(places);
    this.models = lanes.map((lane) => new StrategyModel(lane, ownPlaces, this.source.offsets.length, reasons));
    this.settings = this.models.map(({ setting }) => setting && { ...setting });
    this.scores = lanes.map(({ f1 }) => f1);
    this.layout = layout && new Layout(unpackedLayout(layout), (offsets) => offsets.map((offset) => this.source.unit(offset)));
    const [starts, mono] = [wholeNumbers(runs.starts), wholeNumbers(runs.mono)];
    this.runs = Array.from(starts, (start, index) => ({
      start: this.source.unit(start),
      end: this.source.unit(starts[index + 1] ?? this.source.length),
      isMono: mono[index] > 0,
    }));
    this.view = this.layout ? "reading" : "source";
  }

  buildParts() {
    const part = (/** @type {string} */ name, tag = "section") => {
      /** @type {HTMLElement} */ const made = document.createElement(tag);
      made.className = `wb-${name}`;
      return made;
    };
    const [verdict, lanes, controls, strip, work] = [part("verdict", "header"), part("lanes"), part("controls"), part("strip"), part("work", "div")];
    const [left, head, aside] = [part("left", "div"), part("head", "div"), part("panel", "aside")];
    this.pane = part("pane", "div");
    this.page = part("page", "div");
    const gutter = part("gutter", "div");
    const article = part("text", "article");
    this.live = part("spoken", "div");
    controls.setAttribute("aria-label", "Setting");
    aside.setAttribute("aria-label", "Why this place is cut or not");
    aside.tabIndex = 0;
    this.pane.tabIndex = 0;
    this.pane.setAttribute("role", "region");
    this.pane.setAttribute("aria-label", "Text in chunks");
    this.live.setAttribute("aria-live", "polite");
    this.page.append(gutter, article);
    this.pane.append(this.page);
    left.append(head, this.pane);
    work.append(left, aside);
    this.root.append(verdict, lanes, controls, strip, work, this.live);
    this.article = article;
    this.text = new DocumentText(article, this.source, this.layout, this.runs);
    this.painter = new PagePainter(this.pane, this.page, gutter);
    this.verdict = new Verdict(verdict, () => this.makeFit());
    this.sliders = new Sliders(controls, {
      onStart: () => this.startDrag(),
      onMove: (setting, moved) => this.move(setting, moved),
      onEnd: () => this.endDrag(),
      onReset: () => this.reset(),
    });
    this.strip = new Strip(strip, {
      onPoint: (gap) => this.hover(gap),
      onChoose: (share, gap) => this.goTo(share, gap),
      onResize: () => this.request(),
    });
    this.panel = new Panel(aside, { onStep: (step) => this.step(step), onClose: () => this.choose(-1) });
    this.tables = new TableDialog(this.root, () => this.picture);
    this.buildHead(head);
    this.lanes = this.models.length > 1 ? new Lanes(lanes, this.models.map(({ title }) => title), this.people, (lane) => this.openLane(lane)) : null;
    lanes.hidden = !this.lanes;
    strip.hidden = this.lanes !== null;
  }

  /** @param {HTMLElement} head */
  buildHead(head) {
    this.path = element("span", "wb-path");
    const legend = element("span", "wb-head-legend");
    const entries = [["wb-meaning", "● ", "meaning"], ["wb-layout", "◆ ", "layout"], ["wb-threshold", "┊ ", "cut line"]]; // prettier-ignore
    for (const [name, glyph, words] of entries) {
      const entry = element("span", name, glyph);
      entry.append(name === "wb-threshold" ? element("span", "", words) : element("i", "", words));
      legend.append(entry);
    }
    legend.title = "A bar shows how far a place stands out from the average of this document. What crosses the line is cut.";
    const views = element("span", "wb-views");
    if (this.layout) {
      for (const view of /** @type {const} */ (["reading", "source"])) {
        const made = button("wb-view", view === "reading" ? "Reading" : "Source");
        made.title = view === "reading" ? "The text as its reader sees it" : "Every character that is embedded and indexed";
        made.addEventListener("click", () => this.showView(view));
        made.dataset.view = view;
        views.append(made);
        this.viewButtons.push(made);
      }
    }
    const table = button("wb-view", "Table");
    table.title = "Every chunk and every gap in a table";
    table.addEventListener("click", () => this.tables.open());
    views.append(table);
    const counts = element("span", "wb-head-chunk");
    counts.append(element("span", "", "chunk"), element("span", "", "tokens"));
    head.append(counts, this.path, views, legend);
  }

  // ---- what is shown

  /** Shows a strategy. @param {number} lane */
  openLane(lane) {
    this.lane = lane;
    this.model = this.models[lane];
    this.averages = averagesOf(this.model);
    this.sliders.open(this.model, this.surroundings.isRemote ?? false);
    this.first = this.pictureOf(this.model.setting);
    this.picture = this.pictureOf(this.settings[lane]);
    this.reference = this.usualReference;
    if (this.picture.setting) this.sliders.show(this.picture.setting);
    this.strip.open(this.source.offsets, this.source.length);
    this.lanes?.open(this.models.map((model, index) => model.at(this.settings[index])), this.scores);
    this.root.classList.toggle("wb-without-curves", !this.picture.curves || this.lanes !== null);
    this.measure();
    this.update();
  }

  /** @param {Setting | null} setting */
  pictureOf(setting) {
    return new Picture(this.source, this.model, setting, this.limit, this.averages);
  }

  /** @param {ViewName} view */
  showView(view) {
    if (view === this.view) return;
    const offset = this.geometry.offsetAt(this.pane.scrollTop);
    this.view = view;
    this.text.show(view);
    this.measure();
    this.pane.scrollTop = this.geometry.positionAt(offset).y;
    this.update();
  }

  measure() {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const isPhone = this.root.clientWidth < PHONE;
    this.root.classList.toggle("wb-phone", isPhone);
    this.root.classList.toggle("wb-narrow", this.root.clientWidth < 73.75 * rem);
    const width = this.pane.clientWidth;
    const gutter = isPhone ? 2.1 * rem : width < 46 * rem ? 4.9 * rem : 6.4 * rem;
    const margin = this.marginOf(width, gutter, rem, isPhone);
    const right = Math.max(width - margin, gutter + 10 * rem);
    const padding = (isPhone ? 0.55 : 0.85) * rem;
    this.article.style.marginLeft = `${gutter + padding}px`;
    this.article.style.width = `${right - gutter - 2 * padding}px`;
    const base = right + (isPhone ? 0.35 : 1.1) * rem;
    this.columns = { rem, width, left: gutter, right, base, isPhone, barWidth: isPhone ? margin - 0.7 * rem : Math.min(margin - 6 * rem, 8 * rem) };
    this.root.style.setProperty("--wb-gutter", `${gutter}px`);
    this.root.style.setProperty("--wb-bars", `${base}px`);
    this.root.style.setProperty("--wb-text-left", `${gutter + padding}px`);
    this.root.style.setProperty("--wb-text-right", `${width - right}px`);
    const offsets = this.source.offsets.map((offset) => this.source.unit(offset));
    this.geometry = new Geometry(this.text, this.page, offsets, this.source.text.length);
    this.painter.covered = null;
  }

  /** @param {number} width @param {number} gutter @param {number} rem @param {boolean} isPhone */
  marginOf(width, gutter, rem, isPhone) {
    if (isPhone) return 2.9 * rem;
    if (this.lanes) return Math.min(Math.max(3 * this.models.length + 2.5, 8) * rem, width / 2);
    if (!this.picture.curves) return 2 * rem;
    return Math.min(15 * rem, Math.max(9.5 * rem, width - gutter - 45 * rem));
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

  update() {
    const { picture, columns, palette, limit, verdict, sliders, panel } = this;
    this.paintPage();
    this.drawStrip();
    sliders.draw(picture, columns, palette, limit?.maximum ?? null);
    verdict.show(picture, this.reference, limit, columns.isPhone);
    if (!columns.isPhone || this.root.classList.contains("wb-sheet")) panel.show(picture, this.selected, columns, palette);
  }

  /** @returns {Marks} */
  get marks() {
    const { selected, hovered, people, isDragging, reference, pinned } = this;
    /** @type {[string, string]} */ const words = isDragging ? ["new", "gone"] : ["only here", "only pinned"];
    return { selected, hovered, people, words, before: isDragging ? reference.picture : pinned };
  }

  paintPage() {
    const { painter, picture, geometry, columns, palette } = this;
    const context = painter.paint(picture, geometry, columns, palette, this.marks, this.lanes !== null);
    const [from, to] = painter.covered ?? [0, 0];
    if (context) this.lanes?.drawColumns(context, this.source, geometry, columns, palette, this.lane, from, to);
    this.path.textContent = this.pathInView();
    for (const made of this.viewButtons) made.setAttribute("aria-pressed", String(made.dataset.view === this.view));
  }

  drawStrip() {
    const { picture, columns, palette, lanes } = this;
    const seen = this.seen;
    if (lanes) lanes.draw(this.lane, Math.max(this.source.length, 1), seen, palette);
    const threshold = picture.curves && Number.isFinite(picture.curves.threshold) ? fixed(picture.curves.threshold, 3) : "";
    this.strip.draw(picture, { columns, palette, marks: this.marks, seen, threshold });
  }

  /** What is in view, in shares of the text. */
  get seen() {
    const { scrollTop, clientHeight } = this.pane;
    const length = Math.max(this.source.text.length, 1);
    return { from: this.geometry.offsetAt(scrollTop + 6) / length, to: this.geometry.offsetAt(scrollTop + clientHeight - 6) / length };
  }

  /** The headings above what is at the top of the view. */
  pathInView() {
    const offset = this.source.point(Math.floor(this.geometry.offsetAt(this.pane.scrollTop + 20)));
    return this.source.path(offset, offset + 1).join(" › ");
  }

  // ---- what the hand does

  startDrag() {
    this.reference = { picture: this.picture, since: "since you began to drag", same: "the same cuts" };
    this.isDragging = true;
  }

  endDrag() {
    if (!this.isDragging) return;
    this.isDragging = false;
    this.reference = this.usualReference;
    this.request();
  }

  /** What a setting is compared with while no hand is on a slider. @returns {Reference} */
  get usualReference() {
    const { pinned, first } = this;
    if (pinned) return { picture: pinned, since: "from the pinned setting", same: "same cuts as the pinned setting" };
    return { picture: first, since: "from the first setting", same: "same cuts as the first setting" };
  }

  /** Keeps a setting beside the present one; null for none. @param {Setting | null} setting */
  pin(setting) {
    if (JSON.stringify(setting) === JSON.stringify(this.pinned?.setting ?? null)) return;
    this.pinned = setting && this.pictureOf(setting);
    if (!this.isDragging) this.reference = this.usualReference;
    this.request();
  }

  /** @param {Setting} setting @param {string} moved */
  move(setting, moved) {
    const shown = this.model.shownSetting(admissible(setting), moved);
    this.moved = { ...this.moved, ...changesOf(this.picture.setting, shown) };
    this.show(shown);
    this.request();
  }

  /** @param {Setting} setting */
  show(setting) {
    this.settings[this.lane] = setting;
    this.picture = this.pictureOf(setting);
    this.sliders.show(setting);
    this.lanes?.update(this.lane, this.picture.segmentation);
    this.surroundings.onSetting?.(setting, this.lane);
    this.restLater();
  }

  reset() {
    if (this.model.setting) this.move({ ...this.model.setting }, "");
  }

  /** Sets the largest maximum at which the encoder reads every chunk to its end. */
  makeFit() {
    const { limit, picture, model } = this;
    const { setting } = picture;
    if (!limit || !setting || !model.places) return;
    const lowest = this.sliders.lowestMaximum(setting);
    const fits = (/** @type {number} */ maximum) => this.pictureOf(admissible({ ...setting, maximum, minimum: Math.min(setting.minimum, maximum) })).unreadFrom.size === 0;
    for (let maximum = Math.min(limit.maximum, setting.maximum || limit.maximum); maximum >= Math.max(lowest, 8); maximum -= Math.max(1, maximum >> 6)) {
      if (!fits(maximum)) continue;
      this.move({ ...setting, maximum, minimum: Math.min(setting.minimum, maximum) }, "maximum");
      return;
    }
  }

  /** @param {number} gap */
  hover(gap) {
    if (gap === this.hovered) return;
    this.hovered = gap;
    this.paintPage();
    this.drawStrip();
  }

  /** Selects a gap, −1 for none. @param {number} gap @param {boolean} isShown whether it is brought into view */
  choose(gap, isShown = false) {
    this.isUntouched = false;
    this.selected = gap;
    const { isPhone } = this.columns;
    this.root.classList.toggle("wb-sheet", isPhone && gap >= 0);
    if (gap >= 0 && (isShown || isPhone)) this.bringIntoView(gap);
    this.update();
    this.restLater();
  }

  /** @param {number} gap */
  bringIntoView(gap) {
    const { scrollTop, clientHeight } = this.pane;
    const y = this.geometry.y[gap];
    if (this.columns.isPhone) this.pane.scrollTop = y - 110;
    else if (y < scrollTop + 40 || y > scrollTop + clientHeight - 60) this.pane.scrollTop = y - 0.35 * clientHeight;
  }

  /** @param {1 | -1} step */
  step(step) {
    const next = this.picture.nextCut(this.selected, step);
    if (next >= 0) this.choose(next, true);
  }

  /** @param {number} share of the document @param {number} gap to select, −1 for none */
  goTo(share, gap) {
    const unit = this.source.unit(Math.round(share * this.source.length));
    this.pane.scrollTop = this.geometry.positionAt(unit).y - 0.35 * this.pane.clientHeight;
    if (gap >= 0 && this.picture.curves) this.choose(gap);
    else this.request();
  }

  /** Reports the setting and the selected gap once neither has moved for a while. */
  restLater() {
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => {
      if (this.isDragging) return this.restLater();
      this.live.textContent = this.verdict.spoken;
      const moved = Object.keys(this.moved);
      this.moved = {};
      this.surroundings.onRest?.(this.picture.setting, moved, this.isUntouched ? -1 : this.selected, this.lane);
    }, REST_MS);
  }

  listen() {
    const { pane, root } = this;
    pane.addEventListener("scroll", () => this.scrolled(), { passive: true });
    pane.addEventListener("pointermove", (event) => this.hover(this.gapUnder(event)));
    pane.addEventListener("pointerleave", () => this.hover(-1));
    pane.addEventListener("click", (event) => {
      if (!getSelection()?.toString()) this.choose(this.gapUnder(event));
    });
    root.addEventListener("keydown", (event) => this.key(event));
    let width = pane.clientWidth;
    this.resizing = new ResizeObserver(() => {
      if (pane.clientWidth !== width) {
        width = pane.clientWidth;
        this.measure();
      }
      this.painter.covered = null;
      this.request();
    });
    this.resizing.observe(pane);
    this.darkness = matchMedia("(prefers-color-scheme: dark)");
    this.onTheme = () => this.showTheme();
    this.darkness.addEventListener("change", this.onTheme);
    document.fonts?.ready.then(() => {
      this.measure();
      this.request();
    });
  }

  /** Draws in the colours that the style sheet has now. */
  showTheme() {
    this.palette = paletteOf(this.root);
    this.request();
  }

  scrolled() {
    if (this.painter.needsPaint()) this.paintPage();
    else this.path.textContent = this.pathInView();
    this.drawStrip();
  }

  /** @param {MouseEvent} event */
  gapUnder({ clientX, clientY }) {
    const { left, top } = this.page.getBoundingClientRect();
    return this.geometry.gapNear(clientX - left, clientY - top, clientX - left > this.columns.right);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const { selected } = this;
    const last = this.source.offsets.length - 1;
    if (event.key === "Escape") this.choose(-1);
    else if (event.key === "j") this.choose(Math.min(selected + 1, last), true);
    else if (event.key === "k") this.choose(Math.max(selected - 1, 0), true);
    else if (event.key === "n") this.step(1);
    else if (event.key === "p") this.step(-1);
    else return;
    event.preventDefault();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.restTimer);
    this.resizing?.disconnect();
    if (this.onTheme) this.darkness?.removeEventListener("change", this.onTheme);
  }
}

/** The values that differ. @param {Setting | null} before @param {Setting} after @returns {Partial<Setting>} */
function changesOf(before, after) {
  const changed = Object.entries(after).filter(([key, value]) => value !== before?.[/** @type {keyof Setting} */ (key)]);
  return Object.fromEntries(changed);
}

/** @param {LayoutData} data @returns {LayoutBody} */
function unpackedLayout({ elements, substitutions, kind_names, names, reflowed }) {
  const numbers = (/** @type {Record<string, Packed>} */ columns) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, wholeNumbers(column)]));
  const { kind, depth, ...places } = numbers(elements);
  return /** @type {LayoutBody} */ ({
    elements: { ...places, kind: Uint8Array.from(kind), depth: Uint8Array.from(depth) },
    substitutions: numbers(substitutions),
    kind_names,
    names,
    reflowed,
  });
}
