// The definition of the term that has the pointer or the focus, beside it, for all elements of the page.

/** @import { Component } from "../base/dom.js" */
/** @import { GlossaryBody } from "../messages.js" */
import { element, mounted, takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";

const MARGIN = 8; // pixels between the box, the term and the edge of the window

class Glossary {
  /** @type {Record<string, string>} */ terms = {};
  /** @type {HTMLElement | null} */ at = null;
  content = "";
  abort = new AbortController();
  box = element("div", "cs-definition");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    takeNoRoom(parent);
    this.box.id = "cs-definition";
    this.box.setAttribute("role", "tooltip");
    this.box.hidden = true;
    // Inside the app, whose theme it follows.
    (document.querySelector("[data-testid='stApp']") ?? document.body).append(this.box);
    const { signal } = this.abort;
    for (const name of /** @type {const} */ (["pointerover", "focusin"])) {
      // Of an element in a shadow root the page sees only the host, unless it looks at the path.
      document.addEventListener(name, (event) => this.reach(event.composedPath()[0]), { signal });
    }
    document.addEventListener("focusout", () => this.leave(), { signal });
    document.addEventListener("scroll", () => this.leave(), { signal, capture: true, passive: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.leave(), { signal, capture: true });
  }

  /** @param {Component} component */
  update(component) {
    followTheme();
    const { head, body } = /** @type {{head: {content: string}, body: () => GlossaryBody}} */ (unpack(component.data));
    if (head.content === this.content) return;
    this.content = head.content;
    this.terms = body().terms;
  }

  /** @param {EventTarget | undefined} target */
  reach(target) {
    const term = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-term]")) : null;
    if (term === this.at) return;
    this.leave();
    const meaning = term && this.terms[term.dataset.term ?? ""];
    // Of a report, which has no script: the browser would show it again.
    if (meaning && term.title === meaning) term.removeAttribute("title");
    if (term && meaning) this.define(term, meaning);
  }

  /** @param {HTMLElement} term @param {string} meaning */
  define(term, meaning) {
    this.at = term;
    this.box.replaceChildren(element("b", "", term.dataset.term), ` ${meaning}`);
    this.box.hidden = false;
    term.setAttribute("aria-describedby", this.box.id);
    const around = term.getBoundingClientRect();
    const { width, height } = this.box.getBoundingClientRect();
    const below = around.bottom + MARGIN;
    const over = around.top - height - MARGIN;
    this.box.style.top = `${below + height > window.innerHeight && over > 0 ? over : below}px`;
    this.box.style.left = `${Math.max(MARGIN, Math.min(around.left, window.innerWidth - width - MARGIN))}px`;
  }

  leave() {
    this.at?.removeAttribute("aria-describedby");
    this.at = null;
    this.box.hidden = true;
  }

  destroy() {
    this.abort.abort();
    this.box.remove();
  }
}

/** Gives the whole page the theme of the app: Streamlit draws popovers and dialogs outside of it. */
function followTheme() {
  const app = document.querySelector("[data-testid='stApp']");
  if (app) document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
}

export default mounted(Glossary);
