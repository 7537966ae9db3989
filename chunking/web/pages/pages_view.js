// The pages of a file as a view of the workbench.

/** @import { SourceText } from "../text/source_text.js" */
/** @import { PagesData } from "./page_words.js" */
import { paletteOf } from "../workbench/canvas.js";
import { PageGeometry } from "./page_geometry.js";
import { PageSheets } from "./page_sheets.js";
import { PageWords } from "./page_words.js";

export class PagesView {
  /** @param {PagesData} data @param {SourceText} source */
  constructor(data, source) {
    this.words = new PageWords(data, source);
    this.sheets = new PageSheets(data, this.words);
  }

  /** Where the gaps are on sheets of a width. @param {number} width in pixels @param {HTMLElement} page that the sheets are on */
  measure(width, page) {
    return new PageGeometry(this.words, this.sheets.resize(width, page), paletteOf(this.sheets.root));
  }
}
