// The keys of the review desk, also where nothing has the focus.

/** @import { ReviewDesk } from "./review_desk.js" */
import { actionOfKey, asksToUndo, takesLetters } from "./toolbar.js";

/** @type {Record<string, number>} */
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
/** @type {Record<string, number>} */
const WALKS = { ArrowLeft: -1, ArrowRight: 1 };

export class DeskKeys {
  /** @param {ReviewDesk} desk */
  constructor(desk) {
    this.desk = desk;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { desk } = this;
    if (event.isComposing || !desk.reviewer || !desk.data) return;
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    const inside = event.composedPath().includes(desk.root);
    if (asksToUndo(event)) {
      // In a field it takes back what was typed there.
      if (!takesLetters(target) && !desk.placing) this.handle(event, () => desk.undo());
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A switch or a button elsewhere keeps the keys that work it (arrows, Enter); letters are free for the desk.
    if (!inside && !desk.free() && (event.key.length > 1 || event.key === " " || takesLetters(target))) return;
    if (target instanceof HTMLInputElement && inside) {
      if (event.key === "Escape" && target === desk.note.field) this.handle(event, () => desk.closeNote());
      else event.stopPropagation();
      return;
    }
    const act = this.meaning(event, target instanceof HTMLButtonElement && inside);
    if (act) this.handle(event, act);
  }

  /** @param {KeyboardEvent} event @param {() => void} act */
  handle(event, act) {
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  /** The effect of a key at present; null for none. @param {KeyboardEvent} event @param {boolean} onButton */
  meaning({ key, repeat }, onButton) {
    const { desk } = this;
    if (desk.placing) {
      // In a text that runs from right to left, so do the keys.
      const turn = desk.passage.isRightToLeft ? -1 : 1;
      if (key in WALKS) return () => desk.walk(turn * WALKS[key]);
      if (key === "Enter" && !onButton) return () => desk.place();
      if (key === "Escape") return () => desk.cancel();
      if (key === "ArrowUp" || key === "ArrowDown") return () => desk.walk(key === "ArrowDown" ? 1 : -1);
    }
    if (key === "PageDown" || key === "PageUp") {
      const by = (key === "PageDown" ? 0.8 : -0.8) * desk.passage.root.clientHeight;
      return () => desk.passage.root.scrollBy({ top: by });
    }
    if (desk.placing) return null;
    if (key in STEPS) return () => desk.step(STEPS[key]);
    if (key === "?") return repeat ? () => {} : () => desk.toggleHelp();
    if (key === "Escape" && desk.toolbar.helpOpen) return () => desk.toggleHelp();
    const name = actionOfKey(key);
    // A key that is held down does not judge what nobody has seen.
    return name ? (repeat ? () => {} : () => desk.act(name)) : null;
  }
}
