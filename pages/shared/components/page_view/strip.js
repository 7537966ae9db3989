// The strip of all pages beside the page: a small sheet each, with its boundaries.

/** @import { PageViewBody } from "../messages.js" */
import { button, closest, element } from "../base/dom.js";
import { number, plural } from "../base/numbers.js";
import { drawing, roleOf } from "./drawing.js";
import { rounded } from "./geometry.js";

const SMALL_FROM = 13; // pages from which the strip shows them smaller
const TINY_FROM = 73;

export class Strip {
  /** @type {HTMLButtonElement[]} */ sheets = [];
  /** @type {HTMLButtonElement | null} */ current = null;
  shown = "";
  root = element("nav", "cs-rail");

  constructor() {
    this.root.setAttribute("aria-label", "All pages");
  }

  /** @param {PageViewBody} data @param {number} page the one that is shown or requested */
  fill(data, page) {
    const { marks, pages, size } = data;
    const shown = JSON.stringify([pages, size, [...marks.page], [...marks.place], [...marks.driver]]);
    if (shown === this.shown) return;
    this.shown = shown;
    const tree = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    const held = this.current !== null && tree.activeElement === this.current;
    this.root.dataset.size = pages >= TINY_FROM ? "tiny" : pages >= SMALL_FROM ? "small" : "";
    /** @type {number[][]} */ const ticks = Array.from({ length: pages }, () => []);
    marks.page.forEach((on, place) => ticks[on]?.push(place));
    this.current = null;
    this.sheets = ticks.map((places, on) => this.sheet(data, on, places));
    this.root.replaceChildren(...this.sheets);
    if (held) {
      this.mark(page);
      this.focus();
    }
  }

  /** @param {PageViewBody} data @param {number} page @param {number[]} places of its boundaries among the marks */
  sheet(data, page, places) {
    const { size, marks } = data;
    const height = (100 * size[1]) / size[0];
    const words = `Page ${number.format(page + 1)}: ${plural(places.length, "boundary", "boundaries")}`;
    const made = button("cs-mini", undefined, words);
    made.title = words;
    made.tabIndex = -1;
    made.dataset.page = String(page);
    const sheet = drawing("svg", "cs-sheet", { viewBox: `0 0 100 ${rounded(height)}`, preserveAspectRatio: "none" });
    sheet.setAttribute("style", `aspect-ratio: 100 / ${rounded(height)}`);
    for (const driver of new Set(places.map((place) => marks.driver[place]))) {
      const lines = places.filter((place) => marks.driver[place] === driver);
      const down = lines.map((place) => rounded(Math.min(0.98, Math.max(0.02, marks.place[place])) * height));
      const d = down.map((y) => `M8 ${y}h84`).join("");
      sheet.append(drawing("path", "cs-tick", { d, "data-driver": roleOf(data, driver) }));
    }
    made.append(sheet, element("span", "cs-mini-number", String(page + 1)));
    return made;
  }

  /** The page of the sheet that an event is about, or null. @param {EventTarget | null} target */
  pageAt(target) {
    const page = closest(target, ".cs-mini")?.dataset.page;
    return page === undefined ? null : Number(page);
  }

  /** Marks the sheet of a page and scrolls it into view. @param {number} page */
  mark(page) {
    const sheet = this.sheets[page];
    if (!sheet || sheet === this.current) return;
    this.current?.removeAttribute("aria-current");
    if (this.current) this.current.tabIndex = -1;
    this.current = sheet;
    sheet.setAttribute("aria-current", "page");
    sheet.tabIndex = 0;
    const { root } = this;
    const seen = sheet.offsetTop >= root.scrollTop
      && sheet.offsetTop + sheet.offsetHeight <= root.scrollTop + root.clientHeight
      && sheet.offsetLeft >= root.scrollLeft
      && sheet.offsetLeft + sheet.offsetWidth <= root.scrollLeft + root.clientWidth;
    if (seen) return;
    root.scrollTo({ top: sheet.offsetTop - root.clientHeight / 2, left: sheet.offsetLeft - root.clientWidth / 2 });
  }

  focus() {
    this.current?.focus({ preventScroll: true });
  }
}
