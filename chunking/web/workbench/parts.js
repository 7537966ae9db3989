// The elements of the workbench.

import { button, element } from "../base/dom.js";

/** @typedef {ReturnType<typeof makeParts>} Parts */

/** Makes the elements of a workbench, empty, and puts them into its root. @param {HTMLElement} root */
export function makeParts(root) {
  const verdict = part("header", "verdict");
  const [lanes, controls, strip] = [part("section", "lanes"), part("section", "controls"), part("section", "strip")];
  const [work, left, head, pane, page, gutter] = ["work", "left", "head", "pane", "page", "gutter"].map((name) => part("div", name));
  const [side, text, panel, spoken] = [part("div", "side"), part("article", "text"), part("aside", "panel"), part("div", "spoken")];
  controls.setAttribute("aria-label", "Setting");
  lanes.setAttribute("aria-label", "Strategies");
  panel.setAttribute("aria-label", "Why this place is cut or not");
  panel.tabIndex = 0;
  pane.tabIndex = 0;
  pane.setAttribute("role", "region");
  pane.setAttribute("aria-label", "Text in chunks");
  spoken.setAttribute("aria-live", "polite");
  side.hidden = true;
  page.append(gutter, text);
  pane.append(page);
  left.append(head, pane, side);
  work.append(left, panel);
  root.append(verdict, lanes, controls, strip, work, spoken);
  return { verdict, lanes, controls, strip, work, head, pane, page, gutter, side, text, panel, spoken };
}

/** @param {"div" | "section" | "header" | "article" | "aside"} tag @param {string} name @returns {HTMLElement} */
function part(tag, name) {
  return element(tag, `wb-${name}`);
}

/** A view that can be chosen above the text: its name, its words and what it shows. @typedef {[name: string, words: string, title: string]} ViewChoice */

/** What stands above the text: where one is in it, the views, and what the colours mean. */
export class TextHead {
  /** @param {HTMLElement} head @param {ViewChoice[]} views @param {(name: string) => void} onView */
  constructor(head, views, onView) {
    this.path = element("span", "wb-path");
    this.buttons = views.map(([name, words, title]) => {
      const made = button("wb-view", words);
      made.title = title;
      made.dataset.view = name;
      made.addEventListener("click", () => onView(name));
      return made;
    });
    const choice = element("span", "wb-views");
    choice.append(...this.buttons);
    const counts = element("span", "wb-head-chunk");
    counts.append(element("span", "", "chunk"), element("span", "", "tokens"));
    head.append(counts, this.path, choice, legend());
  }

  /** Marks the views that are shown. @param {string[]} names */
  mark(names) {
    for (const made of this.buttons) made.setAttribute("aria-pressed", String(names.includes(made.dataset.view ?? "")));
  }
}

function legend() {
  const made = element("span", "wb-head-legend");
  const entries = [["wb-meaning", "● ", "meaning"], ["wb-layout", "◆ ", "layout"], ["wb-threshold", "┊ ", "cut line"]]; // prettier-ignore
  for (const [name, glyph, words] of entries) {
    const entry = element("span", name, glyph);
    entry.append(name === "wb-threshold" ? element("span", "", words) : element("i", "", words));
    made.append(entry);
  }
  made.title = "A bar shows how far a place stands out from the average of this document. What crosses the line is cut.";
  return made;
}
