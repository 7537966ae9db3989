// The lanes of a comparison: a row above the text for each strategy, with its size and its agreement with people.

/** @import { Palette } from "./canvas.js" */
/** @import { Comparison } from "./comparison.js" */
/** @import { View } from "./zoom.js" */
import { button, element, setWords } from "../base/dom.js";
import { fixed, number, plural } from "../engine/numbers.js";
import { cleared, strokeLine } from "./canvas.js";
import { Zoom } from "./zoom.js";

const CLICK_REACH = 7; // pixels within which a click is on a cut
const LEAST_VOTERS = 3; // lanes from which it is shown how many cut a place
const START_TO_END = "start of the document → end";

/** @typedef {{row: HTMLElement, name: HTMLElement, canvas: HTMLCanvasElement, count: HTMLElement, bar: HTMLElement, score: HTMLElement}} Row */

/**
 * What the lanes report: a place under the pointer (−1 for none), a lane that was chosen with the place and the cut that
 * were clicked, and another part of the document in view.
 *
 * @typedef {{onPoint: (gap: number) => void, onChoose: (lane: number, share: number | null, gap: number) => void, onZoom: () => void}} LanesEvents
 */

/** What is drawn of the state of the workbench. @typedef {{chosen: number, seen: View | null, selected: number, hovered: number, palette: Palette}} LanesState */

export class Lanes {
  /**
   * @param {HTMLElement} section
   * @param {string[]} titles
   * @param {Comparison} comparison
   * @param {LanesEvents} events
   */
  constructor(section, titles, comparison, events) {
    this.section = section;
    this.comparison = comparison;
    this.events = events;
    this.positions = Float64Array.from(comparison.source.offsets, (offset) => offset / Math.max(comparison.source.length, 1));
    this.readout = element("span", "wb-lane-readout", START_TO_END);
    section.append(this.headRow());
    this.peopleRow = comparison.people.size ? this.addRow("▲ By people", -1) : null;
    this.rows = titles.map((title, lane) => this.addRow(title, lane));
    this.votesRow = titles.length >= LEAST_VOTERS ? this.addRow("How many cut", -1) : null;
  }

  headRow() {
    const row = element("div", "wb-lane wb-lane-head");
    const axis = element("span", "wb-lane-axis");
    axis.append(this.readout);
    this.zoom = new Zoom(axis, () => this.events.onZoom());
    row.append(element("span", "", "Strategy"), axis, element("span", "", "chunks"));
    row.append(element("span", "", this.comparison.isScored ? "agrees with people" : ""));
    return row;
  }

  /** @param {string} title @param {number} lane −1 for a row that is no lane @returns {Row} */
  addRow(title, lane) {
    const row = element("div", "wb-lane");
    const name = lane >= 0 ? button("wb-lane-name", title) : element("span", title.startsWith("▲") ? "wb-people" : "wb-lane-votes", title);
    if (lane >= 0) name.addEventListener("click", () => this.events.onChoose(lane, null, -1));
    name.title = title;
    const canvas = element("canvas");
    canvas.setAttribute("role", "img");
    canvas.addEventListener("click", (event) => this.click(lane, event));
    canvas.addEventListener("pointermove", (event) => this.events.onPoint(this.gapNear(event)));
    canvas.addEventListener("pointerleave", () => this.events.onPoint(-1));
    canvas.addEventListener("wheel", (event) => this.zoom?.wheel(event, this.shareAt(event)), { passive: false });
    const count = element("span", "wb-lane-count");
    const [bar, score] = [element("i"), element("b")];
    const agreement = element("span", "wb-lane-score");
    agreement.append(bar, score);
    row.append(name, canvas, count, agreement);
    this.section.append(row);
    return { row, name, canvas, count, bar, score };
  }

  /** Names the lanes anew. @param {string[]} titles */
  rename(titles) {
    this.rows.forEach(({ name }, lane) => {
      setWords(name, titles[lane]);
      name.title = titles[lane];
    });
  }

  // ---- what the hand does

  /** @param {MouseEvent} event */
  shareAt(event) {
    const { left, width } = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    return this.axis.shareAt(event.clientX - left, width);
  }

  get axis() {
    return /** @type {Zoom} */ (this.zoom);
  }

  /** The gap nearest to the pointer; −1 without gaps. @param {MouseEvent} event */
  gapNear(event) {
    const { comparison } = this;
    return comparison.source.nearestGap(Math.round(this.shareAt(event) * comparison.source.length));
  }

  /** @param {number} lane @param {MouseEvent} event */
  click(lane, event) {
    const { width } = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    const share = this.shareAt(event);
    const cuts = lane >= 0 ? this.comparison.lanes[lane].gaps : this.comparison.people;
    let [nearest, least] = [-1, CLICK_REACH];
    for (const gap of cuts) {
      const apart = Math.abs(this.axis.x(this.positions[gap], width) - this.axis.x(share, width));
      if (apart < least) [nearest, least] = [gap, apart];
    }
    this.events.onChoose(lane, share, nearest);
  }

  // ---- drawing

  /** @param {LanesState} state */
  draw(state) {
    const { comparison } = this;
    this.showReadout(state.hovered);
    if (this.peopleRow) this.drawPeople(this.peopleRow, state);
    this.rows.forEach((row, lane) => this.drawLane(row, lane, state));
    if (this.votesRow) this.drawVotes(this.votesRow, state);
    this.section.classList.toggle("wb-scored", comparison.isScored);
  }

  /** @param {number} gap */
  showReadout(gap) {
    const lanes = gap >= 0 ? this.comparison.lanesAt(gap) : [];
    const people = gap >= 0 && this.comparison.people.has(gap) ? " and people" : "";
    const count = lanes.length ? `${lanes.length} of ${this.rows.length}${people} cut here: ${lanes.map((lane) => lane + 1).join(", ")}` : people ? "only people cut here" : "nobody cuts here";
    setWords(this.readout, gap < 0 ? START_TO_END : `gap ${number.format(gap + 1)}: ${count}`);
  }

  /** An empty canvas with the height of its row. @param {Row} row */
  cleared({ canvas }) {
    const { clientWidth: width, clientHeight: height } = canvas;
    return { context: cleared(canvas, width, height), width, height };
  }

  /** @param {Row} row @param {LanesState} state */
  drawPeople(row, { palette }) {
    const { context, width, height } = this.cleared(row);
    const { people } = this.comparison;
    setWords(row.count, number.format(people.size + 1));
    label(row.canvas, plural(people.size, "reference boundary", "reference boundaries"));
    context.strokeStyle = palette.line;
    strokeLine(context, 0, height / 2, width, height / 2);
    context.fillStyle = palette.people;
    for (const gap of people) {
      const x = this.axis.x(this.positions[gap], width);
      context.beginPath();
      context.moveTo(x - 5, height - 3);
      context.lineTo(x + 5, height - 3);
      context.lineTo(x, 4);
      context.fill();
    }
  }

  /** @param {Row} row @param {number} lane @param {LanesState} state */
  drawLane(row, lane, state) {
    const { comparison } = this;
    const isChosen = lane === state.chosen;
    const { chunks } = comparison.lanes[lane].segmentation;
    row.row.classList.toggle("wb-on", isChosen);
    row.name.setAttribute("aria-pressed", String(isChosen));
    setWords(row.count, number.format(chunks.length));
    const score = comparison.score(lane);
    if (score !== null) {
      row.bar.style.setProperty("--wb-share", `${(100 * score).toFixed(1)}%`);
      setWords(row.score, fixed(score, 2));
    }
    label(row.canvas, plural(chunks.length, "chunk"));
    this.drawChunks(row, lane, state);
  }

  /** @param {Row} row @param {number} lane @param {LanesState} state */
  drawChunks(row, lane, { chosen, palette, ...marks }) {
    const { context, width, height } = this.cleared(row);
    if (!width) return;
    const { comparison } = this;
    const length = Math.max(comparison.source.length, 1);
    const { segmentation, tints } = comparison.lanes[lane];
    const x = (/** @type {number} */ offset) => this.axis.x(offset / length, width);
    context.fillStyle = palette.people;
    context.globalAlpha = 0.16;
    for (const gap of comparison.people) context.fillRect(this.axis.x(this.positions[gap], width) - 3.5, 0, 7, height);
    segmentation.chunks.forEach((chunk, index) => {
      const [from, to] = [x(chunk.start), x(chunk.end)];
      if (to < 0 || from > width) return;
      context.fillStyle = lane === chosen ? palette.tints[tints[index]][1] : palette.line;
      context.globalAlpha = lane === chosen ? 0.55 : 1;
      context.fillRect(from + 1, 5, Math.max(to - from - 2, 1), height - 10);
      context.globalAlpha = 1;
      if (!chunk.start) return;
      const agrees = comparison.agrees(chunk);
      context.fillStyle = agrees ? palette.people : palette.text;
      context.fillRect(from - 1.25, agrees ? 1 : 4, 2.5, agrees ? height - 2 : height - 8);
    });
    context.globalAlpha = 1;
    this.drawMarks(context, width, height, palette, marks);
  }

  /** What is in view, and the places that are chosen and pointed at. @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {Palette} palette @param {{seen: View | null, selected: number, hovered: number}} marks */
  drawMarks(context, width, height, palette, { seen, selected, hovered }) {
    context.fillStyle = palette.text;
    for (const share of seen ? [seen.from, seen.to] : []) context.fillRect(this.axis.x(share, width) - 0.5, 0, 1, height);
    for (const [gap, across] of [[hovered, 1], [selected, 2]]) {
      if (gap < 0) continue;
      context.fillStyle = palette.focus;
      context.fillRect(this.axis.x(this.positions[gap], width) - across / 2, 0, across, height);
    }
  }

  /** How many lanes cut each place, as bars. @param {Row} row @param {LanesState} state */
  drawVotes(row, { palette, ...marks }) {
    const { context, width, height } = this.cleared(row);
    const { votes, lanes } = this.comparison;
    label(row.canvas, "How many strategies cut each place");
    context.strokeStyle = palette.line;
    strokeLine(context, 0, height - 0.5, width, height - 0.5);
    context.fillStyle = palette.muted;
    votes.forEach((count, gap) => {
      if (!count) return;
      const tall = (count / lanes.length) * (height - 2);
      context.fillRect(this.axis.x(this.positions[gap], width) - 1.25, height - tall, 2.5, tall);
    });
    this.drawMarks(context, width, height, palette, marks);
  }
}

/** @param {HTMLElement} target @param {string} words */
function label(target, words) {
  if (target.getAttribute("aria-label") !== words) target.setAttribute("aria-label", words);
}
