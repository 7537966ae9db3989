// The workbench: one owner of a setting, and everything that depends on it. A move of a slider is followed in one frame.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { PagesView } from "../pages/pages_view.js" */
/** @import { PagesData } from "../pages/page_words.js" */
/** @import { SourceText } from "../text/source_text.js" */
/** @import { Marks } from "./page_painter.js" */
/** @import { Parts } from "./parts.js" */
/** @import { HandEditing, HandState } from "./hand_editing.js" */
/** @import { Facts } from "./panel.js" */
/** @import { Passage } from "./passage_editor.js" */
/** @import { Picture } from "./picture.js" */
/** @import { TextView } from "./reader.js" */
/** @import { Choice, RestState } from "./rest.js" */
/** @import { Reference } from "./verdict.js" */
/** @import { WorkbenchData } from "./workbench_state.js" */
import { remInPixels } from "../base/dom.js";
import { admissible } from "../engine/limits.js";
import { fixed } from "../engine/numbers.js";
import { paletteOf } from "./canvas.js";
import { Comparison } from "./comparison.js";
import { Following } from "./following.js";
import { LaneColumns } from "./lane_columns.js";
import { LanePanel } from "./lane_panel.js";
import { Lanes } from "./lanes.js";
import { Listeners } from "./listeners.js";
import { Panel } from "./panel.js";
import { TextHead, makeParts } from "./parts.js";
import { Reader } from "./reader.js";
import { Rest } from "./rest.js";
import { FEWEST_COLUMNS, MOST_COLUMNS, SideBySide } from "./side_by_side.js";
import { Sliders } from "./sliders.js";
import { Strip } from "./strip.js";
import { TableDialog } from "./table.js";
import { TextEditing } from "./text_editing.js";
import { Verdict } from "./verdict.js";
import { WorkbenchState, withMaximum } from "./workbench_state.js";

const PHONE = 700; // pixels of width below which the sliders are at the bottom

/**
 * Where a reader was: the view, the offset at its top, and the document; and what was moved of which controls and chosen,
 * but not reported yet.
 *
 * @typedef {object} Place
 * @property {TextView} view
 * @property {number} offset
 * @property {string} text
 * @property {Partial<Setting>} moved
 * @property {string} controls
 * @property {number | null} chosen offset of the chosen gap, −1 for none, null where the reader has not chosen
 * @property {boolean} isPending whether a report is due
 * @property {string | null} focused
 * @property {Passage | null} passage that is being edited
 * @property {boolean} isApplied whether the text is that with the edited passage
 * @property {HandState | null} byHand
 */

/**
 * What surrounds the workbench. `onSetting` is called at every move, `onRest` when nothing has moved for a while; `isRemote`
 * tells that somebody answers `onRest` who computes what cannot be computed here and shows a lane by itself.
 *
 * @typedef {object} Surroundings
 * @property {(setting: Setting, lane: number) => void} [onSetting]
 * @property {(state: RestState) => void} [onRest]
 * @property {() => void} [onRelease] called when a hand has left a slider
 * @property {(passage: Passage) => void} [onEdit] takes a passage with other words; none where the text is not edited
 * @property {(workbench: Workbench) => HandEditing} [byHand] makes what cuts and joins by hand; none where nobody keeps that
 * @property {boolean} [isRemote]
 * @property {boolean} [isComparison] whether there are lanes, even if only one
 * @property {(data: PagesData, source: SourceText) => PagesView} [pages] shows the pages of the file of the document
 * @property {Place} [place] where the reader of an earlier workbench was
 */

export class Workbench {
  /** @type {Parts} */ parts;
  /** @type {Verdict} */ verdict;
  /** @type {Sliders} */ sliders;
  /** @type {Strip} */ strip;
  /** @type {Panel} */ panel;
  /** @type {TableDialog} */ tables;
  /** @type {TextHead} */ head;
  /** All lanes, and their rows and summary; null for one strategy alone. @type {{comparison: Comparison, rows: Lanes, panel: LanePanel, side: SideBySide} | null} */ lanes = null;
  /** The strategy at its first setting. @type {Picture} */ first;
  /** What the present setting is compared with. @type {Reference} */ reference;
  /** @type {Picture | null} */ pinned = null;
  editing = new TextEditing(this);
  /** @type {HandEditing | null} */ hand;
  following = new Following(this);
  lane = 0;
  selected = -1;
  hovered = -1;
  isDragging = false;
  isUntouched = true; // until the user has chosen a gap, or none
  frame = 0;

  /** @param {HTMLElement} root @param {WorkbenchData} data @param {Surroundings} surroundings */
  constructor(root, data, surroundings = {}) {
    this.root = root;
    this.surroundings = surroundings;
    root.classList.add("wb");
    this.state = new WorkbenchState(data);
    this.hand = surroundings.byHand?.(this) ?? null;
    this.rest = new Rest(this);
    this.parts = makeParts(root);
    this.reader = new Reader(root, this.parts, this.state);
    this.buildParts();
    this.palette = paletteOf(root);
    const place = surroundings.place?.text === data.text.text ? surroundings.place : undefined;
    const isOnPages = place?.view === "pages";
    this.reader.isAskingForPages = isOnPages;
    this.reader.show(place && !isOnPages && (place.view === "source" || this.state.layout) ? place.view : this.reader.view);
    this.openLane(0);
    if (place) this.reader.goToOffset(place.offset);
    this.resume(surroundings.place);
    if (place?.passage && !place.isApplied) this.editing.open(place.passage);
    this.listeners = new Listeners(this);
  }

  /** Goes on with what was moved, chosen and held in an earlier workbench. @param {Place} [place] */
  resume(place) {
    if (place?.byHand && place.text === this.state.source.text) this.hand?.resume(place.byHand);
    if (!this.lanes && place?.isPending && place.text === this.state.source.text) {
      this.isUntouched = place.chosen === null;
      if (place.chosen === null) this.following.followGap(-1);
      else this.selected = this.state.source.gapAt(place.chosen);
      this.rest.later();
    }
    // Of several lanes it is not known which one was moved.
    if (!this.lanes && place?.controls === this.state.slidersOf(0) && Object.keys(place.moved).length) this.rest.moved.set(0, place.moved);
    this.sliderNamed(place?.focused ?? "")?.focus({ preventScroll: true });
  }

  get model() {
    return this.state.models[this.lane];
  }

  get picture() {
    return this.state.pictures[this.lane];
  }

  get settings() {
    return this.state.settings;
  }

  get columns() {
    return this.reader.columns;
  }

  /** Whether lanes are read side by side. */
  get isSide() {
    return !this.parts.side.hidden;
  }

  /** What is read: the lanes side by side, else the text. */
  get read() {
    const side = this.isSide ? this.lanes?.side : null;
    return { pane: side?.pane ?? this.reader.pane, geometry: side?.geometry ?? this.reader.geometry };
  }

  /** Shows what somebody else knows of a gap at a setting. @param {Facts} facts */
  setFacts(facts) {
    this.panel.facts = facts;
    this.request();
  }

  /** Where the reader is. @returns {Place} */
  get place() {
    const { reader, state, lane, editing } = this;
    const moved = this.rest.ownOf(lane);
    const focused = /** @type {Document | ShadowRoot} */ (this.root.getRootNode()).activeElement;
    const name = focused && this.root.contains(focused) ? focused.ariaLabel : null;
    return {
      view: reader.isAskingForPages ? "pages" : reader.view,
      offset: reader.geometry.offsetAt(reader.pane.scrollTop),
      text: editing.isApplied ? editing.text : state.source.text,
      moved,
      controls: state.slidersOf(lane),
      chosen: this.isUntouched ? null : (state.source.offsets[this.selected] ?? -1),
      isPending: this.rest.isPending,
      focused: name,
      passage: editing.editor?.edited ?? null,
      isApplied: editing.isApplied,
      byHand: this.hand?.state ?? null,
    };
  }

  /** @param {string} name */
  sliderNamed(name) {
    return Array.from(this.root.querySelectorAll("input")).find(({ ariaLabel }) => name && ariaLabel === name);
  }

  // ---- what somebody else has chosen

  /** A report has arrived where somebody else chooses. @param {number} number of the last one */
  confirm(number) {
    this.rest.confirm(number);
  }

  // ---- its parts

  buildParts() {
    const { parts } = this;
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
    if (this.state.models.length > 1 || this.surroundings.isComparison) this.buildLanes();
    const does = { onFit: () => this.makeFit(), onUnlimited: () => this.liftLimits() };
    this.verdict = new Verdict(parts.verdict, does, this.lanes !== null);
    const panelEvents = { onStep: (/** @type {1 | -1} */ step) => this.step(step), onClose: () => this.choose(-1) };
    this.panel = new Panel(parts.panel, panelEvents, this.hand, this.lanes?.panel.root);
    this.tables = new TableDialog(this.root, () => this.picture);
    this.head = new TextHead(parts.head, this.viewChoices, (name) => this.chooseView(name));
    parts.lanes.hidden = !this.lanes;
    parts.strip.hidden = this.lanes !== null;
    this.root.classList.toggle("wb-compared", this.lanes !== null);
    this.root.classList.toggle("wb-with-pages", this.surroundings.pages !== undefined);
  }

  buildLanes() {
    const { parts, surroundings, state } = this;
    const comparison = new Comparison(state.source, Array.from(state.people, (offset) => state.source.gapAt(offset)), state.isScored);
    comparison.open(state.segmentations);
    const rows = new Lanes(parts.lanes, state.titles, comparison, {
      onPoint: (gap) => this.hover(gap),
      onChoose: (lane, share, gap) => this.chooseLane(lane, share, gap),
      onZoom: () => this.changed(),
    });
    const panel = new LanePanel({ onPlace: (gap) => this.choose(gap, true), onOpen: surroundings.isRemote ? () => this.rest.report(true) : null });
    const side = new SideBySide(parts.side, comparison, (article) => this.reader.textIn(article), {
      onPoint: (gap) => this.hover(gap),
      onChoose: (gap) => this.choose(gap),
      onLanes: () => {
        this.measureSide();
        this.rest.later();
      },
      onScroll: () => this.sideScrolled(),
    });
    this.lanes = { comparison, rows, panel, side };
  }

  /** @returns {[string, string, string][]} */
  get viewChoices() {
    return [
      ...(this.surroundings.onEdit ? [["edit", "Edit", "Change the words at the chosen place, in a copy, and see which cuts that changes (e)"]] : []),
      ...(this.lanes && this.state.models.length > 1 ? [["side", "Side by side", "Two to four strategies on the same text, line by line"]] : []),
      ...(this.state.layout ? [["reading", "Reading", "The text as its reader sees it"], ["source", "Source", "Every character that is embedded and indexed"]] : []),
      ...(this.surroundings.pages ? [["pages", "Pages", "The pages of the file"]] : []),
      ["table", "Table", "Every chunk and every gap in a table"],
    ].map(([name, words, title]) => [name, words, title]); // prettier-ignore
  }

  // ---- what is shown

  /** Shows a strategy. @param {number} lane */
  openLane(lane) {
    const { source } = this.state;
    this.lane = lane;
    this.sliders.open(this.model, this.surroundings.isRemote ?? false);
    this.first = this.state.pictureOf(this.model.setting, lane);
    this.reference = this.usualReference;
    if (this.picture.setting) this.sliders.show(this.picture.setting);
    this.strip.open(source.offsets, source.length);
    this.root.classList.toggle("wb-without-curves", !this.picture.curves || this.lanes !== null);
    if (!this.lanes || !this.reader.geometry) this.measure(); // the margin of lanes is the same for all
    this.reader.painter.covered = null;
    this.update();
  }

  /** @param {string} name */
  chooseView(name) {
    if (name === "table") this.tables.open();
    else if (name === "edit") return this.editing.toggle();
    else if (name === "side") this.isSide ? this.closeSide() : this.showSide([]);
    else this.showView(/** @type {TextView} */ (name));
    if (name === "pages") this.rest.report(false);
    else this.rest.later();
  }

  /** Shows the text as something else; pages once they are there. @param {TextView} view */
  showView(view) {
    const { reader } = this;
    reader.isAskingForPages = view === "pages" && !reader.pages;
    if (view === reader.view || reader.isAskingForPages) return this.request();
    const offset = this.offsetInView;
    reader.show(view);
    if (this.isSide) this.openSide(this.lanes?.side.lanes ?? [], offset);
    else {
      this.measure();
      reader.goToOffset(offset);
    }
    this.update();
  }

  /** Shows the pages where they were asked for. @param {PagesData} data where the text is on them @param {number | null} page to begin with */
  openPages(data, page) {
    const { reader, surroundings, state } = this;
    if (reader.pages || !surroundings.pages) return;
    reader.pages = surroundings.pages(data, state.source);
    if (!reader.isAskingForPages) return;
    this.showView("pages");
    if (page !== null && !this.rest.isPending) reader.goToPage(page);
    this.rest.report(false);
  }

  /** The offset at the top of the text that is read. */
  get offsetInView() {
    const { pane, geometry } = this.read;
    return geometry.offsetAt(pane.scrollTop);
  }

  /** Shows lanes side by side; the chosen one and the next where none are given. @param {number[]} given */
  showSide(given) {
    const { parts } = this;
    if (!this.lanes || this.state.models.length < FEWEST_COLUMNS || this.columns.isPhone) return;
    const usual = [this.lane, this.lane + 1 < this.state.models.length ? this.lane + 1 : 0];
    const valid = [...new Set(given)].filter((lane) => lane < this.state.models.length).slice(0, MOST_COLUMNS);
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
    side.open(columns, this.state.titles, this.reader.textView);
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
    this.reader.goToOffset(offset);
    this.request();
  }

  measure() {
    const { root, lanes, state, reader } = this;
    const isPhone = root.clientWidth < PHONE;
    root.classList.toggle("wb-phone", isPhone);
    root.classList.toggle("wb-narrow", root.clientWidth < 73.75 * remInPixels());
    if (!this.isSide) reader.measure({ hasBars: this.picture.curves !== null, lanes: lanes ? state.models.length : 0 }, isPhone);
    this.editing.place();
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
    const { picture, columns, palette, verdict, sliders, panel, lanes, selected } = this;
    const { limit, titles } = this.state;
    this.paintPage();
    this.drawStrip();
    sliders.draw(picture, columns, palette, limit?.maximum ?? null);
    if (lanes) verdict.showComparison(lanes.comparison, titles);
    verdict.show(picture, this.reference, limit, columns.isPhone, this.state.edits.values());
    if (this.isSide || (columns.isPhone && !this.root.classList.contains("wb-sheet"))) return;
    if (lanes && selected < 0) lanes.panel.show(titles[this.lane], this.lane, picture, lanes.comparison);
    panel.show(picture, selected, columns, palette, lanes && selected >= 0 ? this.votersAt(lanes.comparison) : "");
  }

  /** Who cuts the chosen gap, in words. @param {Comparison} comparison */
  votersAt(comparison) {
    const voters = comparison.lanesAt(this.selected);
    const people = comparison.people.has(this.selected) ? " People cut here too." : comparison.isScored ? " People do not." : "";
    return `${voters.length} of ${this.state.models.length}${voters.length ? `: ${voters.map((lane) => this.state.titles[lane]).join(", ")}` : ""}.${people}`;
  }

  /** @returns {Marks} */
  get marks() {
    const { selected, hovered, isDragging, reference, pinned, state, editing } = this;
    const common = { selected, hovered, people: state.people };
    if (isDragging) return { ...common, words: ["new", "gone"], before: reference.picture };
    if (editing.before) return { ...common, words: ["new cut", "cut before"], before: editing.before };
    return { ...common, words: ["only here", "only pinned"], before: pinned };
  }

  paintPage() {
    const { picture, palette, lanes, state } = this;
    const { painter, geometry, columns, view, isAskingForPages, pathInView } = this.reader;
    this.head.mark(this.isSide ? ["side", view] : [isAskingForPages ? "pages" : view, ...(this.editing.editor ? ["edit"] : [])]);
    if (lanes && this.isSide) return lanes.side.draw(state.pictures, palette, this.marks);
    const context = painter.paint(picture, geometry, columns, palette, this.marks, { bars: !lanes, words: false });
    const [from, to] = painter.covered ?? [0, 0];
    if (lanes && !columns.isPhone) new LaneColumns(context, lanes.comparison, geometry, columns, palette).draw(this.lane, from, to);
    this.head.path.textContent = pathInView;
  }

  drawStrip() {
    const { picture, columns, palette, lanes, selected, hovered, seen } = this;
    if (lanes) return lanes.rows.draw({ chosen: this.lane, seen, selected, hovered, palette });
    const threshold = picture.curves && Number.isFinite(picture.curves.threshold) ? fixed(picture.curves.threshold, 3) : "";
    this.strip.draw(picture, { columns, palette, marks: this.marks, seen, threshold });
  }

  /** What is in view, in shares of the text. */
  get seen() {
    const { pane, geometry } = this.read;
    const { scrollTop, clientHeight } = pane;
    const length = Math.max(this.state.source.text.length, 1);
    return { from: geometry.offsetAt(scrollTop + 6) / length, to: geometry.offsetAt(scrollTop + clientHeight - 6) / length };
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
    this.surroundings.onRelease?.();
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
    this.pinned = setting && this.state.pictureOf(setting, this.lane);
    if (!this.isDragging) this.reference = this.usualReference;
    this.request();
  }

  /** @param {Setting} setting @param {string} moved */
  move(setting, moved) {
    const { lane, state } = this;
    const shown = this.model.shownSetting(admissible(setting), moved);
    this.rest.note(lane, changesOf(this.picture.setting, shown));
    state.set(shown, lane);
    this.sliders.show(shown);
    this.lanes?.comparison.update(lane, this.picture.segmentation);
    this.surroundings.onSetting?.(shown, lane);
    this.changed();
  }

  /** Draws what has changed, and reports it once it is at rest. */
  changed() {
    this.request();
    this.rest.later();
  }

  reset() {
    if (this.model.setting) this.move({ ...this.model.setting }, "");
  }

  /** Sets the largest maximum at which the encoder reads every chunk to its end. */
  makeFit() {
    const { setting } = this.picture;
    const maximum = setting ? this.state.fittingMaximum(this.lane, this.sliders.lowestMaximum(setting)) : 0;
    if (setting && maximum) this.move(withMaximum(setting, maximum), "maximum");
  }

  /** Shows what the text asks for, whatever the sizes. */
  liftLimits() {
    const { setting } = this.picture;
    if (setting) this.move({ ...setting, minimum: 0, softMinimum: 0, maximum: 0 }, "maximum");
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
    this.rest.later();
  }

  /** @param {number} gap */
  bringIntoView(gap) {
    if (this.isSide) this.lanes?.side.bringIntoView(gap);
    else this.reader.bringIntoView(gap);
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
    const { source } = this.state;
    const { pane, geometry } = this.read;
    pane.scrollTop = geometry.positionAt(source.unit(Math.round(share * source.length))).y - 0.35 * pane.clientHeight;
    if (gap >= 0 && this.picture.curves) this.choose(gap);
    else this.request();
  }

  // ---- what is at rest

  /** Reports what has changed since the last report; returns whether anything has. */
  reportNow() {
    return this.rest.now();
  }

  /** Whether the last report is not known to have arrived. */
  get isAwaiting() {
    return this.rest.isAwaiting || Boolean(this.hand?.isAwaiting);
  }

  /** @param {RestState} state */
  report(state) {
    this.parts.spoken.textContent = this.verdict.spoken;
    this.surroundings.onRest?.(state);
  }

  /** @returns {Choice} */
  get choice() {
    const { lanes, lane, reader } = this;
    return {
      lane,
      gap: this.isUntouched ? -1 : this.selected,
      columns: lanes && this.isSide ? lanes.side.lanes : [],
      view: lanes && !lanes.rows.axis.isWhole ? lanes.rows.axis.view : null,
      pages: reader.view === "pages" ? endsOf(reader.pagesInView) : reader.isAskingForPages ? [] : null,
    };
  }

  /** Draws in the colours that the style sheet has now. */
  showTheme() {
    this.palette = paletteOf(this.root);
    this.request();
  }

  sideScrolled() {
    if (this.lanes?.side.columns[0]?.painter.needsPaint()) this.paintPage();
    this.drawStrip();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    this.rest.stop();
    this.hand?.stop();
    this.reader.destroy();
    this.listeners.stop();
  }
}

/** Whether a workbench of data goes on with all that was moved and chosen in an earlier one. @param {Place} place @param {WorkbenchData} data */
export function isResumable({ text, moved, controls }, { text: { text: shown }, lanes }) {
  const names = lanes[0].controls.map(({ name }) => name).join();
  return lanes.length === 1 && text === shown && (!Object.keys(moved).length || controls === names);
}

/** @param {number[]} numbers @returns {number[]} the first and the last */
const endsOf = (numbers) => (numbers.length ? [numbers[0], numbers[numbers.length - 1]] : []);

/** The values that differ. @param {Setting | null} before @param {Setting} after @returns {Partial<Setting>} */
function changesOf(before, after) {
  const changed = Object.entries(after).filter(([key, value]) => value !== before?.[/** @type {keyof Setting} */ (key)]);
  return Object.fromEntries(changed);
}
