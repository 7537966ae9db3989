// The steps of a newcomer. Each is ticked off when it was taken; a press leads to where it can be.

/** @import { Component } from "../base/dom.js" */
/** @import { FirstStepsHead } from "../messages.js" */
import { applyTheme, button, element, mounted, takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { remembered } from "./remembered.js";

/** @typedef {"alpha" | "gap" | "own"} Step */
/** @type {[Step, string, string][]} */
const STEPS = [
  ["alpha", "Drag α and watch the cuts", ".st-key-structural_alpha [role='slider'], .st-key-structural_alpha input"],
  ["gap", "Click a gap: why is it cut, or not?", "[role='application']"],
  ["own", "Open your own document", "[class*='st-key-_add_own_'] button"],
];

/** Says to the server that the steps were dismissed. */
const COOKIE = "chunkscope_first_steps";

class FirstSteps {
  root = element("aside", "cs-steps");
  /** @type {Map<Step, HTMLElement>} */ items = new Map();
  learn = element("a", "cs-learn", "Learn how it works");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.parent = parent;
    this.root.hidden = true;
    this.root.setAttribute("aria-label", "First steps");
    const list = element("ol");
    STEPS.forEach(([name, words, place], index) => {
      const item = element("li");
      const press = button("cs-step");
      press.append(element("b", "", String(index + 1)), words);
      press.addEventListener("click", () => lead(place));
      item.append(press);
      this.items.set(name, item);
      list.append(item);
    });
    const dismiss = button("cs-dismiss", "✕", "Dismiss the first steps");
    dismiss.addEventListener("click", () => {
      remembered.dismiss();
      this.show();
    });
    this.learn.href = "learn";
    this.learn.addEventListener("click", (event) => {
      /** @type {HTMLElement | null} */ const entry = document.querySelector("[data-testid='stTopNavLink'][href$='/learn']");
      if (!entry) return;
      event.preventDefault(); // the page that is open stays, and only what is in it changes
      entry.click();
    });
    this.root.append(list, this.learn, dismiss);
    parent.append(this.root);
  }

  /** @param {Component} component */
  update(component) {
    const { head } = /** @type {{head: FirstStepsHead}} */ (unpack(component.data));
    applyTheme(this.root);
    remembered.take(head.taken);
    this.show();
  }

  show() {
    const { dismissed, taken } = remembered.read();
    this.root.hidden = dismissed;
    if (dismissed) {
      document.cookie = `${COOKIE}=1; path=/; max-age=31536000; SameSite=Lax`;
      return takeNoRoom(this.parent);
    }
    for (const [name, item] of this.items) {
      const done = taken.includes(name);
      item.classList.toggle("cs-taken", done);
      const mark = /** @type {HTMLElement} */ (item.querySelector("b"));
      mark.textContent = done ? "✓" : String(STEPS.findIndex(([step]) => step === name) + 1);
    }
  }

  destroy() {
    this.root.remove();
  }
}

/** Shows where a step can be taken, and gives it the focus; in a narrow window the sidebar is opened first. @param {string} place */
function lead(place) {
  const found = /** @type {HTMLElement | null} */ (document.querySelector(place));
  if (!found) return;
  const sidebar = found.closest("[data-testid='stSidebar']");
  if (sidebar?.getAttribute("aria-expanded") === "false") {
    /** @type {HTMLElement | null} */ (document.querySelector("[data-testid='stExpandSidebarButton']"))?.click();
  }
  found.scrollIntoView({ block: "center", behavior: "smooth" });
  found.focus({ preventScroll: true });
}

export default mounted(FirstSteps);
