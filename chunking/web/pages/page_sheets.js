// The pages of a file below each other, each a sheet with its picture.

/** @import { Box, PageWords, PagesData } from "./page_words.js" */
import { element } from "../base/dom.js";
import { number } from "../engine/numbers.js";

const NARROWEST = 0.2; // of the widest page: a narrower one would not be seen

/** A sheet on the page, in pixels; and pixels of a tenth of a point. @typedef {{left: number, top: number, width: number, height: number, scale: number}} Sheet */

/** The sheets, with their pictures. */
export class PageSheets {
  /** @param {PagesData} data @param {PageWords} words */
  constructor({ asides }, words) {
    this.sizes = words.sizes;
    this.count = words.count;
    this.root = element("div", "wb-sheets");
    this.sheets = words.linesOf.map((_, page) => this.sheetOf(page));
    for (const { page, kind, box } of asides) this.sheets[page]?.append(this.asideOf(page, kind, box));
    this.root.append(...this.sheets);
    /** Addresses of the pictures. @type {Map<number, string>} */ this.pictures = new Map();
  }

  /** @param {number} page */
  sheetOf(page) {
    const sheet = element("div", "wb-sheet");
    const picture = element("img");
    picture.alt = `Page ${number.format(page + 1)} of ${number.format(this.count)}`;
    picture.draggable = false;
    picture.hidden = true;
    sheet.append(picture);
    sheet.dataset.page = String(page + 1);
    return sheet;
  }

  /** @param {number} page @param {string} kind @param {Box} box */
  asideOf(page, kind, [left, top, right, bottom]) {
    const [width, height] = [this.sizes[2 * page], this.sizes[2 * page + 1]];
    const aside = element("div", "wb-aside");
    aside.title = `In no chunk: ${kind}`;
    const [across, down] = [(/** @type {number} */ x) => `${(100 * x) / width}%`, (/** @type {number} */ y) => `${(100 * y) / height}%`];
    Object.assign(aside.style, { left: across(left), top: down(top), width: across(right - left), height: down(bottom - top) });
    return aside;
  }

  /** Shows the picture of a page. @param {number} page @param {Blob} picture */
  setPicture(page, picture) {
    const image = this.sheets[page]?.querySelector("img");
    if (!image || this.pictures.has(page)) return;
    const address = URL.createObjectURL(picture);
    this.pictures.set(page, address);
    image.src = address;
    image.hidden = false;
  }

  /** Makes the widest page as wide as there is room; returns where the sheets are then. @param {number} width @param {HTMLElement} page that they are measured from @returns {Sheet[]} */
  resize(width, page) {
    const widest = Math.max(...this.sheets.map((_, index) => this.sizes[2 * index]), 1);
    this.sheets.forEach((sheet, index) => {
      const [across, down] = [this.sizes[2 * index], Math.max(this.sizes[2 * index + 1], 1)];
      const share = Math.max(across / widest, NARROWEST);
      sheet.style.width = `${width * share}px`;
      sheet.style.height = `${(width * share * down) / Math.max(across, 1)}px`;
    });
    const origin = page.getBoundingClientRect();
    return this.sheets.map((sheet, index) => {
      const { left, top, width: across, height } = sheet.getBoundingClientRect();
      return { left: left - origin.left, top: top - origin.top, width: across, height, scale: across / Math.max(this.sizes[2 * index], 1) };
    });
  }

  destroy() {
    for (const address of this.pictures.values()) URL.revokeObjectURL(address);
    this.pictures.clear();
  }
}
