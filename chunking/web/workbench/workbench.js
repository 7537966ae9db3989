// The workbench: one owner of a setting, and everything that depends on it. A move of a slider is followed in one frame.

/** @import { Packed } from "../base/packed.js" */
/** @import { PageGeometry } from "../pages/page_geometry.js" */
/** @import { PagesData } from "../pages/page_words.js" */
/** @import { PagesView } from "../pages/pages_view.js" */
/** @import { Setting } from "../engine/cuts.js" */
/** @import { Run, RunsData, ViewName } from "../text/document_text.js" */
/** @import { LayoutBody } from "../text/layout.js" */
/** @import { TextData } from "../text/source_text.js" */
/** @import { LimitData } from "./encoder_limit.js" */
/** @import { Columns, Marks } from "./page_painter.js" */
/** @import { Parts } from "./parts.js" */
/** @import { Averages } from "./picture.js" */
/** @import { Facts } from "./panel.js" */
/** @import { PlacesData, StrategyData } from "./segmentation.js" */
/** @import { Reference } from "./verdict.js" */
/** @import { View } from "./zoom.js" */
import { remInPixels } from "../base/dom.js";
import { wholeNumbers } from "../base/packed.js";
import { admissible } from "../engine/limits.js";
import { fixed, number } from "../engine/numbers.js";
import { DocumentText, runsFrom } from "../text/document_text.js";
import { Layout } from "../text/layout.js";
import { SourceText } from "../text/source_text.js";
import { paletteOf } from "./canvas.js";
import { Comparison } from "./comparison.js";
import { EncoderLimit } from "./encoder_limit.js";
import { Geometry } from "./geometry.js";
import { LaneColumns } from "./lane_columns.js";
import { LanePanel } from "./lane_panel.js";
import { Lanes } from "./lanes.js";
import { PagePainter } from "./page_painter.js";
import { Panel } from "./panel.js";
import { TextHead, makeParts } from "./parts.js";
import { Picture, averagesOf } from "./picture.js";
import { StrategyModel, placesFrom } from "./segmentation.js";
import { FEWEST_COLUMNS, MOST_COLUMNS, SideBySide } from "./side_by_side.js";
import { Sliders } from "./sliders.js";
import { Strip } from "./strip.js";
import { TableDialog } from "./table.js";
import { Verdict } from "./verdict.js";

const PHONE = 700; // pixels of width below which the sliders are at the bottom
const REST_MS = 300; // without a move, after which a setting is reported

/** What the text is shown as: as its reader sees it, with every character, or on the pages of its file. @typedef {ViewName | "pages"} TextView */

/** Shows the pages of a file: a part of its own, which the page of a file without pages does not need. @typedef {(data: PagesData, source: SourceText) => PagesView} PagesPart */

/** @typedef {{elements: Record<"kind" | "depth" | "start" | "end" | "level" | "title", Packed>, substitutions: Record<"start" | "end" | "text", Packed>, kind_names: string[], names: string[], reflowed: boolean}} LayoutData */

/**
 * @typedef {object} WorkbenchData
 * @property {TextData} text
 * @property {RunsData} runs of the text
 * @property {LayoutData | null} layout
 * @property {PlacesData | null} places
 * @property {LimitData | null} limit
 * @property {{gaps: Packed, complete: boolean}} people gaps that people cut, and whether they judged the whole document
 * @property {StrategyData[]} lanes
 * @property {Record<string, string>} reasons
 */

/**
 * Where a reader was: the view, the offset at its top, and the document; and what was moved of which controls, but not
 * reported yet.
 *
 * @typedef {{view: TextView, offset: number, text: string, moved: Partial<Setting>, controls: string, focused: string | null}} Place
 */

/** A lane whose sliders were moved: its setting, and the names of what was moved. @typedef {{lane: number, setting: Setting, moved: string[]}} Change */

/**
 * What is at rest: the lanes that were moved since the last report, the lane and the gap that are chosen (−1 for no gap), the
 * lanes side by side, and the part of the document that the lanes show, if not all of it; the pages in view, if pages are
 * shown, none before it is known where the text is on them; and whether the lane is to be seen by itself elsewhere.
 *
 * @typedef {{changes: Change[], lane: number, gap: number, columns: number[], view: View | null, pages: number[] | null, isOpened: boolean}} RestState
 */

/** What somebody else has chosen; of pages, the one that is shown. @typedef {{settings: (Setting | null)[], titles: string[], lane: number, gap: number, columns: number[], view: View | null, page: number | null}} Followed */

/**
 * What surrounds the workbench. `onSetting` is called at every move, `onRest` when nothing has moved for a while; `isRemote`
 * tells that somebody answers `onRest` who computes what cannot be computed here and shows a lane by itself.
 *
 * @typedef {object} Surroundings
 * @property {(setting: Setting, lane: number) => void} [onSetting]
 * @property {(state: RestState) => void} [onRest]
 * @property {boolean} [isRemote]
 * @property {boolean} [isComparison] whether there are lanes, even if only one
 * @property {PagesPart} [pages] of the file of the document
 * @property {Place} [place] where the reader of an earlier workbench was
 */

export class Workbench {
  /** @type {SourceText} */ source;
  /** Offsets of reference boundaries. @type {Int32Array} */ people;
  /** @type {EncoderLimit | null} */ limit;
  /** @type {StrategyModel[]} */ models;
  /** Their averages. @type {Averages[]} */ averages;
  /** @type {string[]} */ titles;
  /** The present setting of each. @type {(Setting | null)[]} */ settings;
  /** @type {Layout | null} */ layout;
  /** @type {Run[]} */ runs;
  /** @type {TextView} */ view;
  /** The pages, once it is known where the text is on them. @type {PagesView | null} */ pages = null;
  isAskingForPages = false;
  /** The page that was reported or followed last. @type {number | null} */ toldPage = null;
  /** @type {Parts} */ parts;
  /** @type {DocumentText} */ text;
  /** @type {PagePainter} */ painter;
  /** @type {Verdict} */ verdict;
  /** @type {Sliders} */ sliders;
  /** @type {Strip} */ strip;
  /** @type {Panel} */ panel;
  /** @type {TableDialog} */ tables;
  /** @type {TextHead} */ head;
  /** All lanes, and their rows and summary; null for one strategy alone. @type {{comparison: Comparison, rows: Lanes, panel: LanePanel, side: SideBySide} | null} */ lanes = null;
  /** The strategy at its first setting. @type {Picture} */ first;
  /** Each lane at its present setting. @type {Picture[]} */ pictures = [];
  /** What the present setting is compared with. @type {Reference} */ reference;
  /** @type {Picture | null} */ pinned = null;
  /** @type {Geometry | PageGeometry} */ geometry;
  /** @type {Columns} */ columns;
  lane = 0;
  told = ""; // what was reported or followed last
  isScored = false; // whether people have judged the whole document
  /** What was moved of each lane since the last report. @type {Map<number, Partial<Setting>>} */ moved = new Map();

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
    if (place && isSame && place.view !== "pages" && (place.view === "source" || this.layout)) this.view = place.view;
    this.isAskingForPages = isSame && place?.view === "pages";
    this.text.show(this.textView);
    this.openLane(0);
    if (place && isSame) this.pane.scrollTop = this.geometry.positionAt(place.offset).y;
    // Of several lanes it is not known which one was moved.
    if (!this.lanes && place?.controls === this.controls && Object.keys(place.moved).length) this.moved.set(0, place.moved);
    this.sliderNamed(place?.focused ?? "")?.focus({ preventScroll: true });
    this.listen();
  }

  get pane() {
    return this.parts.pane;
  }

  /** What the text is shown as where no pages are. @returns {ViewName} */
  get textView() {
    return this.view === "pages" ? (this.layout ? "reading" : "source") : this.view;
  }

  get model() {
    return this.models[this.lane];
  }

  get picture() {
    return this.pictures[this.lane];
  }

  /** Whether lanes are read side by side. */
  get isSide() {
    return !this.parts.side.hidden;
  }

  /** Shows what somebody else knows of a gap at a setting. @param {Facts} facts */
  setFacts(facts) {
    this.panel.facts = facts;
    this.request();
  }

  /** Where the reader is. @returns {Place} */
  get place() {
    const { view, geometry, pane, source, controls } = this;
    const moved = this.moved.get(this.lane) ?? {};
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
    const { scrollTop, clientHeight } = this.pane;
    let example = -1;
    for (const gap of geometry.gapsBetween(scrollTop, scrollTop + clientHeight - 60)) {
      if (!picture.isCut(gap) || (headings?.[gap] ?? 0) > 0) continue;
      if (example < 0 || picture.excessOf(gap).total > picture.excessOf(example).total) example = gap;
    }
    return example;
  }

  /** Shows what somebody else has chosen. What the user has moved or chosen since the last report stays. @param {Followed} followed */
  follow({ settings, titles, lane, gap, columns, view, page }) {
    settings.forEach((given, index) => this.followSetting(given, index));
    this.titles = titles;
    this.lanes?.rows.rename(titles);
    const isPending = this.restTimer > 0;
    if (!isPending && lane !== this.lane && lane < this.models.length) this.openLane(lane);
    this.lanes?.comparison.open(this.pictures.map(({ segmentation }) => segmentation));
    if (this.picture.setting) this.sliders.show(this.picture.setting);
    if (this.moved.size) this.restLater();
    if (!isPending) {
      this.followPlace(gap, columns, view);
      this.followPage(page);
      this.told = JSON.stringify(this.restState);
    }
    this.request();
  }

  /** @param {number} gap @param {number[]} columns @param {View | null} view */
  followPlace(gap, columns, view) {
    this.lanes?.rows.axis.show(view ?? { from: 0, to: 1 });
    if (columns.length && String(columns) !== String(this.lanes?.side.lanes)) this.showSide(columns);
    else if (!columns.length && this.isSide) this.closeSide();
    this.followGap(gap);
  }

  /** @param {number | null} page that is shown, null for the text */
  followPage(page) {
    if (page === this.toldPage) return;
    this.toldPage = page;
    if (page === null) {
      this.isAskingForPages = false;
      if (this.view === "pages") this.showView(this.textView);
    } else if (!this.pages) this.isAskingForPages = this.surroundings.pages !== undefined;
    else if (this.view !== "pages" || !this.pagesInView.includes(page)) {
      this.showView("pages");
      this.goToPage(page);
    }
  }

  /** @param {Setting | null} given @param {number} lane */
  followSetting(given, lane) {
    if (!given || !this.models[lane]?.setting) return;
    const setting = admissible({ ...given, ...this.moved.get(lane) });
    this.settings[lane] = setting;
    this.pictures[lane] = this.pictureOf(setting, lane);
  }

  /** @param {number} gap */
  followGap(gap) {
    if (gap < 0 && this.isUntouched && !this.columns.isPhone && !this.lanes) gap = this.exampleInView();
    if (gap === this.selected || gap >= this.source.offsets.length) return;
    this.isUntouched &&= gap < 0 || gap === this.exampleInView();
    this.selected = gap;
    if (gap >= 0) this.bringIntoView(gap);
    this.root.classList.toggle("wb-sheet", this.columns.isPhone && gap >= 0);
  }

  /** @param {WorkbenchData} data */
  readData({ text, runs, layout, places, limit, people, lanes, reasons }) {
    this.source = new SourceText(text);
    this.people = wholeNumbers(people.gaps).map((gap) => this.source.offsets[gap]);
    this.limit = limit && new EncoderLimit(limit);
    const ownPlaces = places && placesFrom(places);
    this.models = lanes.map((lane) => new StrategyModel(lane, ownPlaces, this.source.offsets.length, reasons));
    this.titles = lanes.map(({ title }) => title);
    this.averages = this.models.map(averagesOf);
    this.settings = this.models.map(({ setting }) => setting && { ...setting });
    this.pictures = this.models.map((_, lane) => this.pictureOf(this.settings[lane], lane));
    this.isScored = people.complete;
    this.layout = layout && new Layout(unpackedLayout(layout), (offsets) => offsets.map((offset) => this.source.unit(offset)));
    this.runs = runsFrom(runs, this.source);
    this.view = this.layout ? "reading" : "source";
  }

  buildParts() {
    this.parts = makeParts(this.root);
    const { parts } = this;
    this.text = this.textIn(parts.text);
    this.painter = new PagePainter(parts.pane, parts.page, parts.gutter);
    this.sliders = new Sliders(parts.controls, {
      onStart: () => this.startDrag(),
      onMove: (setting, moved) => this.move(setting, moved),
      onEnd: () => this.endDrag(),
      onReset: () => this.reset(),
    });
    this.strip = new Strip(parts.strip, {
      onPoint: (gap) => this.hover(gap),
      onChoose: (share, gap) => this.goTo(share, gap),
      onResize: () => this.request(),
    });
    if (this.models.length > 1 || this.surroundings.isComparison) this.buildLanes();
    this.verdict = new Verdict(parts.verdict, () => this.makeFit(), this.lanes !== null);
    this.panel = new Panel(parts.panel, { onStep: (step) => this.step(step), onClose: () => this.choose(-1) }, this.lanes?.panel.root);
    this.tables = new TableDialog(this.root, () => this.picture);
    this.head = new TextHead(parts.head, this.viewChoices, (name) => this.chooseView(name));
    parts.lanes.hidden = !this.lanes;
    parts.strip.hidden = this.lanes !== null;
    this.root.classList.toggle("wb-compared", this.lanes !== null);
  }

  buildLanes() {
    const { parts, surroundings } = this;
    const comparison = new Comparison(this.source, Array.from(this.people, (offset) => this.source.gapAt(offset)), this.isScored);
    comparison.open(this.pictures.map(({ segmentation }) => segmentation));
    const rows = new Lanes(parts.lanes, this.titles, comparison, {
      onPoint: (gap) => this.hover(gap),
      onChoose: (lane, share, gap) => this.chooseLane(lane, share, gap),
      onZoom: () => this.changed(),
    });
    const panel = new LanePanel({ onPlace: (gap) => this.choose(gap, true), onOpen: surroundings.isRemote ? () => this.report(true) : null });
    const side = new SideBySide(parts.side, comparison, (article) => this.textIn(article), {
      onPoint: (gap) => this.hover(gap),
      onChoose: (gap) => this.choose(gap),
      onLanes: () => {
        this.measureSide();
        this.restLater();
      },
      onScroll: () => this.sideScrolled(),
    });
    this.lanes = { comparison, rows, panel, side };
  }

  /** @param {HTMLElement} article */
  textIn(article) {
    return new DocumentText(article, this.source, this.layout, this.runs);
  }

  /** @returns {[string, string, string][]} */
  get viewChoices() {
    return [
      ...(this.lanes && this.models.length > 1 ? [["side", "Side by side", "Two to four strategies on the same text, line by line"]] : []),
      ...(this.layout ? [["reading", "Reading", "The text as its reader sees it"], ["source", "Source", "Every character that is embedded and indexed"]] : []),
      ...(this.surroundings.pages ? [["pages", "Pages", "The pages of the file"]] : []),
      ["table", "Table", "Every chunk and every gap in a table"],
    ].map(([name, words, title]) => [name, words, title]); // prettier-ignore
  }

  // ---- what is shown

  /** Shows a strategy. @param {number} lane */
  openLane(lane) {
    this.lane = lane;
    this.sliders.open(this.model, this.surroundings.isRemote ?? false);
    this.first = this.pictureOf(this.model.setting, lane);
    this.reference = this.usualReference;
    if (this.picture.setting) this.sliders.show(this.picture.setting);
    this.strip.open(this.source.offsets, this.source.length);
    this.root.classList.toggle("wb-without-curves", !this.picture.curves || this.lanes !== null);
    if (!this.lanes || !this.geometry) this.measure(); // the margin of lanes is the same for all
    this.painter.covered = null;
    this.update();
  }

  /** @param {Setting | null} setting @param {number} lane */
  pictureOf(setting, lane) {
    return new Picture(this.source, this.models[lane], setting, this.limit, this.averages[lane]);
  }

  /** @param {string} name */
  chooseView(name) {
    if (name === "table") this.tables.open();
    else if (name === "side") this.isSide ? this.closeSide() : this.showSide([]);
    else this.showView(/** @type {TextView} */ (name));
    if (name === "pages") this.report(false);
    else this.restLater();
  }

  /** Shows the text as something else; pages once they are there. @param {TextView} view */
  showView(view) {
    this.isAskingForPages = view === "pages" && !this.pages;
    if (view === this.view || this.isAskingForPages) return this.request();
    const offset = this.offsetInView;
    this.view = view;
    this.root.classList.toggle("wb-on-pages", view === "pages");
    if (view === "pages" && this.pages) this.parts.text.replaceChildren(this.pages.sheets.root);
    else this.text.show(this.textView);
    if (this.isSide) this.openSide(this.lanes?.side.lanes ?? [], offset);
    else {
      this.measure();
      this.pane.scrollTop = this.geometry.positionAt(offset).y;
    }
    this.update();
  }

  /** Shows the pages where they were asked for. @param {PagesData} data where the text is on them @param {number | null} page to begin with */
  openPages(data, page) {
    if (this.pages || !this.surroundings.pages) return;
    this.pages = this.surroundings.pages(data, this.source);
    if (!this.isAskingForPages) return;
    this.showView("pages");
    if (page !== null) this.goToPage(page);
    this.report(false);
  }

  /** @param {number} page */
  goToPage(page) {
    if (this.geometry instanceof Geometry) return;
    this.pane.scrollTop = (this.geometry.frames[page]?.top ?? 0) - 8;
    this.changed();
  }

  /** @returns {number[]} */
  get pagesInView() {
    const { scrollTop, clientHeight } = this.pane;
    return this.geometry instanceof Geometry ? [] : this.geometry.pagesBetween(scrollTop + 16, scrollTop + clientHeight);
  }

  /** The offset at the top of the text that is read. */
  get offsetInView() {
    const side = this.isSide ? this.lanes?.side : null;
    return (side?.geometry ?? this.geometry).offsetAt((side?.pane ?? this.pane).scrollTop);
  }

  /** Shows lanes side by side; the chosen one and the next where none are given. @param {number[]} given */
  showSide(given) {
    const { parts } = this;
    if (!this.lanes || this.models.length < FEWEST_COLUMNS || this.columns.isPhone) return;
    const usual = [this.lane, this.lane + 1 < this.models.length ? this.lane + 1 : 0];
    const valid = [...new Set(given)].filter((lane) => lane < this.models.length).slice(0, MOST_COLUMNS);
    const offset = this.offsetInView;
    parts.side.hidden = false;
    parts.pane.hidden = true;
    this.root.classList.add("wb-sided");
    this.openSide(valid.length < FEWEST_COLUMNS ? usual : valid, offset);
  }

  /** @param {number[]} columns lanes @param {number} offset that is at the top */
  openSide(columns, offset) {
    const side = this.lanes?.side;
    if (!side) return;
    side.open(columns, this.titles, this.textView);
    this.measureSide();
    side.pane.scrollTop = side.geometry?.positionAt(offset).y ?? 0;
  }

  measureSide() {
    this.lanes?.side.measure(this.columns.rem);
    this.request();
  }

  closeSide() {
    const { parts } = this;
    const offset = this.offsetInView;
    parts.side.hidden = true;
    parts.pane.hidden = false;
    this.root.classList.remove("wb-sided");
    this.measure();
    this.pane.scrollTop = this.geometry.positionAt(offset).y;
    this.request();
  }

  measure() {
    const rem = remInPixels();
    const isPhone = this.root.clientWidth < PHONE;
    this.root.classList.toggle("wb-phone", isPhone);
    this.root.classList.toggle("wb-narrow", this.root.clientWidth < 73.75 * rem);
    if (this.isSide) return;
    const width = this.pane.clientWidth;
    const gutter = isPhone ? 2.1 * rem : width < 46 * rem ? 4.9 * rem : 6.4 * rem;
    const margin = this.marginOf(width, gutter, rem, isPhone);
    const right = Math.max(width - margin, gutter + 10 * rem);
    const padding = (isPhone ? 0.55 : 0.85) * rem;
    const { text: article } = this.parts;
    article.style.marginLeft = `${gutter + padding}px`;
    article.style.width = `${right - gutter - 2 * padding}px`;
    const base = right + (isPhone ? 0.35 : 1.1) * rem;
    this.columns = { rem, width, left: gutter, right, base, isPhone, barWidth: isPhone ? Math.max(margin - 0.7 * rem, 0) : Math.min(margin - 6 * rem, 8 * rem) };
    this.root.style.setProperty("--wb-gutter", `${gutter}px`);
    this.root.style.setProperty("--wb-bars", `${base}px`);
    this.root.style.setProperty("--wb-text-left", `${gutter + padding}px`);
    this.root.style.setProperty("--wb-text-right", `${width - right}px`);
    this.geometry = this.measured(right - gutter - 2 * padding);
    this.painter.covered = null;
  }

  /** Where the gaps are now. @param {number} width of the text */
  measured(width) {
    const { pages, source, parts } = this;
    if (this.view === "pages" && pages) return pages.measure(width, parts.page);
    const offsets = source.offsets.map((offset) => source.unit(offset));
    return new Geometry(this.text, parts.page, offsets, source.text.length);
  }

  /** @param {number} width @param {number} gutter @param {number} rem @param {boolean} isPhone */
  marginOf(width, gutter, rem, isPhone) {
    if (isPhone) return (this.lanes ? 0.6 : 2.9) * rem;
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
    const { picture, columns, palette, limit, verdict, sliders, panel, lanes, selected } = this;
    this.paintPage();
    this.drawStrip();
    sliders.draw(picture, columns, palette, limit?.maximum ?? null);
    if (lanes) verdict.showComparison(lanes.comparison, this.titles);
    verdict.show(picture, this.reference, limit, columns.isPhone);
    if (this.isSide || (columns.isPhone && !this.root.classList.contains("wb-sheet"))) return;
    if (lanes && selected < 0) lanes.panel.show(this.titles[this.lane], this.lane, picture, lanes.comparison);
    panel.show(picture, selected, columns, palette, lanes && selected >= 0 ? this.votersAt(lanes.comparison) : "");
  }

  /** Who cuts the chosen gap, in words. @param {Comparison} comparison */
  votersAt(comparison) {
    const voters = comparison.lanesAt(this.selected);
    const people = comparison.people.has(this.selected) ? " People cut here too." : comparison.isScored ? " People do not." : "";
    return `${voters.length} of ${this.models.length}${voters.length ? `: ${voters.map((lane) => this.titles[lane]).join(", ")}` : ""}.${people}`;
  }

  /** @returns {Marks} */
  get marks() {
    const { selected, hovered, people, isDragging, reference, pinned } = this;
    /** @type {[string, string]} */ const words = isDragging ? ["new", "gone"] : ["only here", "only pinned"];
    return { selected, hovered, people, words, before: isDragging ? reference.picture : pinned };
  }

  paintPage() {
    const { painter, picture, geometry, columns, palette, lanes, view } = this;
    this.head.mark(this.isSide ? ["side", view] : [this.isAskingForPages ? "pages" : view]);
    if (lanes && this.isSide) return lanes.side.draw(this.pictures, palette, this.marks);
    const context = painter.paint(picture, geometry, columns, palette, this.marks, { bars: !lanes, words: false });
    const [from, to] = painter.covered ?? [0, 0];
    if (lanes && !columns.isPhone) new LaneColumns(context, lanes.comparison, geometry, columns, palette).draw(this.lane, from, to);
    this.head.path.textContent = this.pathInView();
  }

  drawStrip() {
    const { picture, columns, palette, lanes, selected, hovered, seen } = this;
    if (lanes) return lanes.rows.draw({ chosen: this.lane, seen, selected, hovered, palette });
    const threshold = picture.curves && Number.isFinite(picture.curves.threshold) ? fixed(picture.curves.threshold, 3) : "";
    this.strip.draw(picture, { columns, palette, marks: this.marks, seen, threshold });
  }

  /** What is in view, in shares of the text. */
  get seen() {
    const side = this.isSide ? this.lanes?.side : null;
    const { scrollTop, clientHeight } = side?.pane ?? this.pane;
    const geometry = side?.geometry ?? this.geometry;
    const length = Math.max(this.source.text.length, 1);
    return { from: geometry.offsetAt(scrollTop + 6) / length, to: geometry.offsetAt(scrollTop + clientHeight - 6) / length };
  }

  /** The headings above what is at the top of the view. */
  pathInView() {
    const offset = this.source.point(Math.floor(this.geometry.offsetAt(this.pane.scrollTop + 20)));
    const [page] = this.pagesInView;
    const place = page === undefined ? [] : [`Page ${number.format(page + 1)} of ${number.format(this.pages?.words.count ?? 0)}`];
    return [...place, ...this.source.path(offset, offset + 1)].join(" › ");
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
    this.pinned = setting && this.pictureOf(setting, this.lane);
    if (!this.isDragging) this.reference = this.usualReference;
    this.request();
  }

  /** @param {Setting} setting @param {string} moved */
  move(setting, moved) {
    const shown = this.model.shownSetting(admissible(setting), moved);
    this.moved.set(this.lane, { ...this.moved.get(this.lane), ...changesOf(this.picture.setting, shown) });
    this.settings[this.lane] = shown;
    this.pictures[this.lane] = this.pictureOf(shown, this.lane);
    this.sliders.show(shown);
    this.lanes?.comparison.update(this.lane, this.picture.segmentation);
    this.surroundings.onSetting?.(shown, this.lane);
    this.changed();
  }

  /** Draws what has changed, and reports it once it is at rest. */
  changed() {
    this.request();
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
    const fits = (/** @type {number} */ maximum) => this.pictureOf(admissible({ ...setting, maximum, minimum: Math.min(setting.minimum, maximum) }), this.lane).unreadFrom.size === 0;
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
    if (this.isSide) return this.lanes?.side.bringIntoView(gap);
    const { scrollTop, clientHeight } = this.pane;
    const y = this.geometry.y[gap];
    if (this.columns.isPhone) this.pane.scrollTop = y - 110;
    else if (y < scrollTop + 40 || y > scrollTop + clientHeight - 60) this.pane.scrollTop = y - 0.35 * clientHeight;
  }

  /** @param {1 | -1} step */
  step(step) {
    const { selected, lanes } = this;
    const next = lanes && this.isSide ? lanes.side.nextDifference(selected, step) : this.picture.nextCut(selected, step);
    if (next >= 0) this.choose(next, true);
  }

  /** Chooses a lane, and a place in it. @param {number} lane −1 for none @param {number | null} share of the document @param {number} gap −1 for none */
  chooseLane(lane, share, gap) {
    if (lane >= 0 && lane !== this.lane) this.openLane(lane);
    if (gap >= 0) this.choose(gap, true);
    else if (share !== null) this.goTo(share, -1);
    this.changed();
  }

  /** @param {number} share of the document @param {number} gap to select, −1 for none */
  goTo(share, gap) {
    const unit = this.source.unit(Math.round(share * this.source.length));
    const side = this.isSide ? this.lanes?.side : null;
    const [pane, geometry] = [side?.pane ?? this.pane, side?.geometry ?? this.geometry];
    pane.scrollTop = geometry.positionAt(unit).y - 0.35 * pane.clientHeight;
    if (gap >= 0 && this.picture.curves) this.choose(gap);
    else this.request();
  }

  /** Reports what is shown once nothing has moved for a while. */
  restLater() {
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => {
      if (this.isDragging) return this.restLater();
      // Somebody who has just asked for another page would lose it to a report that says nothing new.
      if (this.moved.size || JSON.stringify(this.restState) !== this.told) this.report(false);
      else this.restTimer = 0;
    }, REST_MS);
  }

  /** Reports what is shown. @param {boolean} isOpened whether the lane is to be seen by itself elsewhere */
  report(isOpened) {
    clearTimeout(this.restTimer);
    this.restTimer = 0;
    this.parts.spoken.textContent = this.verdict.spoken;
    /** @type {Change[]} */ const changes = [];
    for (const [lane, moved] of this.moved) {
      const setting = this.settings[lane];
      if (setting) changes.push({ lane, setting, moved: Object.keys(moved) });
    }
    this.moved.clear();
    this.told = JSON.stringify(this.restState);
    this.toldPage = this.restState.pages?.[0] ?? null;
    this.surroundings.onRest?.({ changes, isOpened, ...this.restState });
  }

  /** @returns {Omit<RestState, "changes" | "isOpened">} */
  get restState() {
    const { lanes, lane } = this;
    return {
      lane,
      gap: this.isUntouched ? -1 : this.selected,
      columns: lanes && this.isSide ? lanes.side.lanes : [],
      view: lanes && !lanes.rows.axis.isWhole ? lanes.rows.axis.view : null,
      pages: this.view === "pages" ? endsOf(this.pagesInView) : this.isAskingForPages ? [] : null,
    };
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
      if (this.isSide) {
        this.lanes?.side.measure(this.columns.rem);
        return this.request();
      }
      if (pane.clientWidth && pane.clientWidth !== width) {
        width = pane.clientWidth;
        this.measure();
      }
      this.painter.covered = null;
      this.request();
    });
    this.resizing.observe(this.parts.work);
    this.resizing.observe(pane);
    this.darkness = matchMedia("(prefers-color-scheme: dark)");
    this.onTheme = () => this.showTheme();
    this.darkness.addEventListener("change", this.onTheme);
    document.fonts?.ready.then(() => {
      this.measure();
      if (this.isSide) this.lanes?.side.measure(this.columns.rem);
      this.request();
    });
  }

  /** Draws in the colours that the style sheet has now. */
  showTheme() {
    this.palette = paletteOf(this.root);
    this.request();
  }

  scrolled() {
    if (this.view === "pages") this.restLater(); // the pictures of other pages are needed
    if (this.painter.needsPaint()) this.paintPage();
    else this.head.path.textContent = this.pathInView();
    this.drawStrip();
  }

  sideScrolled() {
    if (this.lanes?.side.columns[0]?.painter.needsPaint()) this.paintPage();
    this.drawStrip();
  }

  /** @param {MouseEvent} event */
  gapUnder({ clientX, clientY }) {
    const { left, top } = this.parts.page.getBoundingClientRect();
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
    else if (this.lanes && Number(event.key) >= 1 && Number(event.key) <= this.models.length) this.chooseLane(Number(event.key) - 1, null, -1);
    else return;
    event.preventDefault();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.restTimer);
    this.pages?.sheets.destroy();
    this.resizing?.disconnect();
    if (this.onTheme) this.darkness?.removeEventListener("change", this.onTheme);
  }
}

/** @param {number[]} numbers @returns {number[]} the first and the last */
const endsOf = (numbers) => (numbers.length ? [numbers[0], numbers[numbers.length - 1]] : []);

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
