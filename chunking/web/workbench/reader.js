// The text of a workbench in its pane: as its reader sees it, with every character, or on the pages of its file.

/** @import { PageGeometry } from "../pages/page_geometry.js" */
/** @import { PagesView } from "../pages/pages_view.js" */
/** @import { ViewName } from "../text/document_text.js" */
/** @import { Columns } from "./page_painter.js" */
/** @import { Parts } from "./parts.js" */
/** @import { WorkbenchState } from "./workbench_state.js" */
import { remInPixels } from "../base/dom.js";
import { number } from "../engine/numbers.js";
import { DocumentText } from "../text/document_text.js";
import { Geometry } from "./geometry.js";
import { PagePainter } from "./page_painter.js";

/** What the text is shown as: as its reader sees it, with every character, or on the pages of its file. @typedef {ViewName | "pages"} TextView */

/** What is beside the text: the bars of its gaps, columns of some lanes, or nothing. @typedef {{hasBars: boolean, lanes: number}} Beside */

export class Reader {
  /** The pages, once it is known where the text is on them. @type {PagesView | null} */ pages = null;
  isAskingForPages = false;
  /** @type {Geometry | PageGeometry} */ geometry;
  /** @type {Columns} */ columns;

  /** @param {HTMLElement} root of the workbench @param {Parts} parts @param {WorkbenchState} state */
  constructor(root, parts, state) {
    this.root = root;
    this.parts = parts;
    this.source = state.source;
    this.layout = state.layout;
    this.runs = state.runs;
    this.text = this.textIn(parts.text);
    this.painter = new PagePainter(parts.pane, parts.page, parts.gutter);
    /** @type {TextView} */ this.view = this.layout ? "reading" : "source";
  }

  get pane() {
    return this.parts.pane;
  }

  /** What the text is shown as where no pages are. @returns {ViewName} */
  get textView() {
    return this.view === "pages" ? (this.layout ? "reading" : "source") : this.view;
  }

  /** @param {HTMLElement} article */
  textIn(article) {
    return new DocumentText(article, this.source, this.layout, this.runs);
  }

  /** Fills the pane. @param {TextView} view */
  show(view) {
    this.view = view;
    this.root.classList.toggle("wb-on-pages", view === "pages");
    if (view === "pages" && this.pages) this.parts.text.replaceChildren(this.pages.sheets.root);
    else this.text.show(this.textView);
  }

  // ---- where things are

  /** Measures the pane, and where the gaps are in it. @param {Beside} beside @param {boolean} isPhone */
  measure(beside, isPhone) {
    const rem = remInPixels();
    const width = this.pane.clientWidth;
    const gutter = isPhone ? 2.1 * rem : width < 46 * rem ? 4.9 * rem : 6.4 * rem;
    const margin = marginOf(beside, { width, gutter, rem, isPhone });
    const right = Math.max(width - margin, gutter + 10 * rem);
    const padding = (isPhone ? 0.55 : 0.85) * rem;
    const across = right - gutter - 2 * padding;
    const base = right + (isPhone ? 0.35 : 1.1) * rem;
    const { text: article } = this.parts;
    article.style.marginLeft = `${gutter + padding}px`;
    article.style.width = `${across}px`;
    this.columns = { rem, width, left: gutter, right, base, isPhone, barWidth: isPhone ? Math.max(margin - 0.7 * rem, 0) : Math.min(margin - 6 * rem, 8 * rem) };
    for (const [name, length] of Object.entries({ gutter, bars: base, "text-left": gutter + padding, "text-right": width - right })) {
      this.root.style.setProperty(`--wb-${name}`, `${length}px`);
    }
    this.geometry = this.geometryOf(across);
    this.painter.covered = null;
  }

  /** Where the gaps are. @param {number} width of the text */
  geometryOf(width) {
    const { pages, source, parts } = this;
    if (this.view === "pages" && pages) return pages.measure(width, parts.page);
    return new Geometry(this.text, parts.page, source.gapUnits, source.text.length);
  }

  /** Brings an offset to the top of the pane. @param {number} offset */
  goToOffset(offset) {
    this.pane.scrollTop = this.geometry.positionAt(offset).y;
  }

  /** @param {number} page */
  goToPage(page) {
    if (!(this.geometry instanceof Geometry)) this.pane.scrollTop = (this.geometry.frames[page]?.top ?? 0) - 8;
  }

  /** @param {number} gap */
  bringIntoView(gap) {
    const { scrollTop, clientHeight } = this.pane;
    const y = this.geometry.y[gap];
    if (this.columns.isPhone) this.pane.scrollTop = y - 110;
    else if (y < scrollTop + 40 || y > scrollTop + clientHeight - 60) this.pane.scrollTop = y - 0.35 * clientHeight;
  }

  /** @returns {number[]} */
  get pagesInView() {
    const { scrollTop, clientHeight } = this.pane;
    return this.geometry instanceof Geometry ? [] : this.geometry.pagesBetween(scrollTop + 16, scrollTop + clientHeight);
  }

  /** Where the top of the view is: its page, and the headings above it. */
  get pathInView() {
    const offset = this.source.point(Math.floor(this.geometry.offsetAt(this.pane.scrollTop + 20)));
    const [page] = this.pagesInView;
    const place = page === undefined ? [] : [`Page ${number.format(page + 1)} of ${number.format(this.pages?.words.count ?? 0)}`];
    return [...place, ...this.source.path(offset, offset + 1)].join(" › ");
  }

  /** @param {MouseEvent} event */
  gapUnder({ clientX, clientY }) {
    const { left, top } = this.parts.page.getBoundingClientRect();
    return this.geometry.gapNear(clientX - left, clientY - top, clientX - left > this.columns.right);
  }

  destroy() {
    this.pages?.sheets.destroy();
  }
}

/** The width of what is beside the text. @param {Beside} beside @param {{width: number, gutter: number, rem: number, isPhone: boolean}} page */
function marginOf({ hasBars, lanes }, { width, gutter, rem, isPhone }) {
  if (isPhone) return (lanes ? 0.6 : 2.9) * rem;
  if (lanes) return Math.min(Math.max(3 * lanes + 2.5, 8) * rem, width / 2);
  if (!hasBars) return 2 * rem;
  return Math.min(15 * rem, Math.max(9.5 * rem, width - gutter - 45 * rem));
}
