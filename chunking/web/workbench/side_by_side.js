// Two to four lanes of a comparison side by side: the same text in each, so that all lines stand at the same height.

/** @import { Comparison } from "./comparison.js" */
/** @import { DocumentText, ViewName } from "../text/document_text.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Columns, Marks } from "./page_painter.js" */
/** @import { Picture } from "./picture.js" */
import { button, element, setWords } from "../base/dom.js";
import { number, plural } from "../engine/numbers.js";
import { Geometry } from "./geometry.js";
import { PagePainter } from "./page_painter.js";
import { sizesInWords } from "./verdict.js";

export const FEWEST_COLUMNS = 2;
export const MOST_COLUMNS = 4;

/** What the hand does: a gap that is chosen or pointed at (−1 for none), other lanes, another part of the text. @typedef {{onChoose: (gap: number) => void, onPoint: (gap: number) => void, onLanes: () => void, onScroll: () => void}} SideEvents */

/** A column: its lane, its parts, and the pass that paints it. @typedef {{lane: number, text: DocumentText, page: HTMLElement, article: HTMLElement, painter: PagePainter, head: HTMLElement, select: HTMLSelectElement, words: HTMLElement}} SideColumn */

export class SideBySide {
  /**
   * @param {HTMLElement} root
   * @param {Comparison} comparison
   * @param {(article: HTMLElement) => DocumentText} makeText
   * @param {SideEvents} events
   */
  constructor(root, comparison, makeText, events) {
    this.root = root;
    this.comparison = comparison;
    this.makeText = makeText;
    this.events = events;
    this.heads = element("div", "wb-side-heads");
    this.add = button("wb-button", "+", "Another column");
    this.add.addEventListener("click", () => this.setLanes([...this.lanes, this.nextLane]));
    this.counter = element("output", "wb-side-counter");
    this.pane = element("div", "wb-side-pane");
    this.pane.tabIndex = 0;
    this.pane.setAttribute("role", "region");
    this.pane.setAttribute("aria-label", "Texts side by side");
    this.pages = element("div", "wb-side-pages");
    this.pane.append(this.pages);
    const line = element("div", "wb-side-line");
    line.append(this.counter, this.add);
    root.append(this.heads, line, this.pane);
    /** @type {SideColumn[]} */ this.columns = [];
    /** @type {string[]} */ this.titles = [];
    /** @type {ViewName} */ this.view = "reading";
    this.difference = -1; // the last one that was gone to
    this.listen();
  }

  listen() {
    const { pane } = this;
    pane.addEventListener("scroll", () => this.events.onScroll(), { passive: true });
    pane.addEventListener("pointermove", (event) => this.events.onPoint(this.gapUnder(event)));
    pane.addEventListener("pointerleave", () => this.events.onPoint(-1));
    pane.addEventListener("click", (event) => {
      if (!getSelection()?.toString()) this.events.onChoose(this.gapUnder(event));
    });
  }

  get lanes() {
    return this.columns.map(({ lane }) => lane);
  }

  /** The first lane that is not shown. */
  get nextLane() {
    const { lanes } = this;
    return Math.max(this.titles.findIndex((_, lane) => !lanes.includes(lane)), 0);
  }

  /** @param {number[]} lanes @param {string[]} titles @param {ViewName} view */
  open(lanes, titles, view) {
    this.titles = titles;
    this.view = view;
    this.columns = [];
    this.pages.replaceChildren();
    for (const lane of lanes) this.columns.push(this.columnOf(lane));
    this.showHeads();
  }

  /** Shows other lanes. @param {number[]} lanes */
  setLanes(lanes) {
    const offset = this.geometry?.offsetAt(this.pane.scrollTop) ?? 0;
    this.open(lanes.slice(0, MOST_COLUMNS), this.titles, this.view);
    this.events.onLanes();
    this.pane.scrollTop = this.geometry?.positionAt(offset).y ?? 0;
  }

  /** Shows another lane in a column; one that another column shows changes places. @param {number} column @param {number} lane */
  replace(column, lane) {
    const { lanes } = this;
    const other = lanes.indexOf(lane);
    if (other >= 0) lanes[other] = lanes[column];
    lanes[column] = lane;
    this.setLanes(lanes);
  }

  /** @param {number} lane @returns {SideColumn} */
  columnOf(lane) {
    const page = element("div", "wb-page");
    const gutter = element("div", "wb-gutter");
    const article = element("article", "wb-text");
    page.append(gutter, article);
    this.pages.append(page);
    const text = this.makeText(article);
    text.show(this.view);
    const [head, select, words] = [element("div", "wb-side-head"), element("select"), element("span", "wb-side-words")];
    return { lane, text, page, article, painter: new PagePainter(this.pane, page, gutter, page), head, select, words };
  }

  showHeads() {
    const { columns, titles } = this;
    this.pages.style.gridTemplateColumns = this.heads.style.gridTemplateColumns = `repeat(${columns.length}, minmax(0, 1fr))`;
    columns.forEach((column, index) => {
      const { select, words, head } = column;
      select.setAttribute("aria-label", `Lane in column ${index + 1}`);
      select.replaceChildren(...titles.map((title, lane) => new Option(title, String(lane), lane === column.lane, lane === column.lane)));
      select.addEventListener("change", () => this.replace(index, Number(select.value)));
      const remove = button("wb-button", "×", `Remove column ${index + 1}`);
      remove.hidden = columns.length <= FEWEST_COLUMNS;
      remove.addEventListener("click", () => this.setLanes(this.lanes.filter((_, at) => at !== index)));
      head.replaceChildren(select, words, remove);
    });
    this.heads.replaceChildren(...columns.map(({ head }) => head));
    this.add.hidden = columns.length >= Math.min(MOST_COLUMNS, titles.length);
  }

  // ---- drawing

  /** Measures the texts anew, all of which are as wide. @param {number} rem */
  measure(rem) {
    const [first] = this.columns;
    const width = first.page.clientWidth;
    const gutter = (this.columns.length > 2 ? 4.2 : 5.2) * rem;
    const [right, padding] = [width - 0.9 * rem, 0.7 * rem];
    for (const { article, page } of this.columns) {
      page.style.setProperty("--wb-gutter", `${gutter}px`);
      article.style.marginLeft = `${gutter + padding}px`;
      article.style.width = `${Math.max(right - gutter - 2 * padding, 6 * rem)}px`;
    }
    /** @type {Columns} */ this.measures = { rem, width, left: gutter, right, base: right, barWidth: 0, isPhone: false };
    const { source } = this.comparison;
    this.geometry = new Geometry(first.text, first.page, source.gapUnits, source.text.length);
  }

  /** @param {Picture[]} pictures of all lanes @param {Palette} palette @param {Omit<Marks, "before" | "words">} marks */
  draw(pictures, palette, marks) {
    const { geometry, measures, columns } = this;
    if (!geometry || !measures) return;
    const isPair = columns.length === 2;
    columns.forEach(({ lane, painter, words }, index) => {
      const before = isPair ? pictures[columns[1 - index].lane] : null;
      const picture = pictures[lane];
      painter.paint(picture, geometry, measures, palette, { ...marks, before, words: ["only here", ""] }, { bars: false, words: true });
      setWords(words, `${plural(picture.chunks.length, "chunk")}${sizesInWords(picture.chunks.map(({ tokens }) => tokens))}`);
    });
    this.showCounter();
  }

  showCounter() {
    const disputed = this.comparison.disputed(this.lanes);
    const at = disputed.indexOf(this.difference);
    const all = plural(disputed.length, "difference");
    setWords(this.counter, at >= 0 ? `difference ${number.format(at + 1)} of ${number.format(disputed.length)}` : `${all} · n and p go through them`);
  }

  // ---- what the hand does

  /** @param {MouseEvent} event */
  gapUnder({ clientX, clientY }) {
    const { geometry } = this;
    const column = this.columns.find(({ page }) => clientX < page.getBoundingClientRect().right) ?? this.columns[0];
    const { left, top } = column.page.getBoundingClientRect();
    return geometry ? geometry.gapNear(clientX - left, clientY - top, false) : -1;
  }

  /** The next place that not all columns cut; −1 for none. @param {number} from a gap @param {1 | -1} step */
  nextDifference(from, step) {
    const disputed = this.comparison.disputed(this.lanes);
    const next = step > 0 ? disputed.find((gap) => gap > from) : disputed.findLast((gap) => gap < from);
    if (next === undefined) return -1;
    this.difference = next;
    return next;
  }

  /** @param {number} gap */
  bringIntoView(gap) {
    const y = this.geometry?.y[gap] ?? 0;
    const { scrollTop, clientHeight } = this.pane;
    if (y < scrollTop + 40 || y > scrollTop + clientHeight - 60) this.pane.scrollTop = y - 0.35 * clientHeight;
  }
}
