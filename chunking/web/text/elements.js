// Elements of the page for those of a layout. Words of a document are set as text; nothing of it is markup or an address.

/** @import { LayoutVisitor } from "./layout.js" */
import { element } from "../base/dom.js";
import { visible } from "../base/text.js";

/** @type {Record<string, keyof HTMLElementTagNameMap>} */
const TAGS = {
  paragraph: "p", item: "li", quote: "blockquote", row: "tr", header: "th", cell: "td", caption: "p", footnote: "p",
  speaker: "b", strong: "strong", emphasis: "em", deleted: "s", literal: "code", break: "br", rule: "hr",
  source: "div", heading: "div", table: "div", code: "div",
};
/** Kinds with a direction of their own, as their first letter has it. */
const DIRECTED = new Set(["heading", "paragraph", "list", "quote", "table", "caption", "footnote"]);
const OUTLINE_LEVEL = 1; // that of the page, above the headings of a document
const WIDE_TABLE = 3; // columns from which a table may be wider than its frame
const MAX_COLUMNS = 200;

/**
 * Builds what is visited of a layout inside an element.
 *
 * @implements {LayoutVisitor}
 */
export class LayoutBuilder {
  /**
   * @param {HTMLElement} root
   * @param {(from: number, to: number, parent: HTMLElement, instead?: string) => void} write puts a stretch of the text into an element
   */
  constructor(root, write) {
    this.write = write;
    /** @type {HTMLElement[]} */ this.opened = [root];
    this.columns = 0; // of the last table
  }

  get parent() {
    return this.opened[this.opened.length - 1];
  }

  /** @param {string} kind @param {number} level @param {string} title */
  open(kind, level, title) {
    const { parent } = this;
    if (kind === "cell" || kind === "header") fillRow(parent, level - 1);
    const made = element(kind === "list" ? (level ? "ol" : "ul") : (TAGS[kind] ?? "span"), `cs-${kind}`);
    if (DIRECTED.has(kind)) made.dir = "auto";
    const inner = this.finish(made, kind, level, title);
    parent.append(made);
    this.opened.push(inner);
  }

  /**
   * Sets what a kind has of its own; returns the element that its words go into.
   *
   * @param {HTMLElement} made
   * @param {string} kind
   * @param {number} level
   * @param {string} title
   */
  finish(made, kind, level, title) {
    switch (kind) {
      case "heading":
        made.setAttribute("role", "heading");
        made.setAttribute("aria-level", String(Math.min(level + OUTLINE_LEVEL, 6)));
        made.dataset.level = String(Math.min(level, 6));
        break;
      case "item":
        if (made instanceof HTMLLIElement && level > 0) made.value = level;
        made.classList.toggle("cs-bare", level < 0);
        break;
      case "table":
        this.columns = level;
        return tableIn(made, level >= WIDE_TABLE);
      case "header":
        made.setAttribute("scope", "col");
        break;
      case "code":
        return codeIn(made, title);
      case "token":
        made.className = `cs-token cs-token-${title}`;
        break;
      case "link":
      case "image":
        made.title = visible(title);
        break;
    }
    return made;
  }

  close() {
    const closed = this.opened.pop();
    if (closed instanceof HTMLTableRowElement) fillRow(closed, this.columns);
  }

  /** @param {number} from @param {number} to @param {string} [instead] */
  text(from, to, instead) {
    this.write(from, to, this.parent, instead);
  }
}

/** Puts a table into its frame, which can be scrolled by keyboard where it may be too narrow; returns the table's body. @param {HTMLElement} frame @param {boolean} wide */
function tableIn(frame, wide) {
  if (wide) {
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "Table");
  }
  const table = element("table");
  const body = element("tbody");
  table.append(body);
  frame.append(table);
  return body;
}

/** Puts code into its frame, with the name of its language. @param {HTMLElement} frame @param {string} language */
function codeIn(frame, language) {
  const code = element("code");
  const pre = element("pre");
  pre.append(code);
  if (language) frame.dataset.language = visible(language);
  frame.append(pre);
  return code;
}

/** Puts empty cells before the next one of a row. @param {HTMLElement} row @param {number} cells */
function fillRow(row, cells) {
  while (row.childElementCount < Math.min(cells, MAX_COLUMNS)) row.append(element("td"));
}
