// The keys of the review desk, and the buttons that name them.

import { element } from "../base/dom.js";

/** Makes a button of the desk: title, what it does, and the key and name it has. @typedef {(title: string, says: string, act: () => void, named?: {key?: string, name?: string}) => HTMLButtonElement} Press */

/**
 * What the buttons do.
 *
 * @typedef {object} ToolbarActions
 * @property {(name: string) => void} act judges, or begins to move, to add, to note; one of the names of `KEYS`
 * @property {() => void} toggleHelp
 * @property {(by: number) => void} walk to a place nearby
 * @property {() => void} place
 * @property {() => void} cancel
 */

export const KEYS = [
  { key: "a", name: "accept", title: "Accept", says: "a boundary belongs here" },
  { key: "r", name: "reject", title: "Reject", says: "none belongs here" },
  { key: "m", name: "move", title: "Move", says: "it belongs nearby: ← → to choose a place, Enter to set, Esc to cancel" },
  { key: "s", name: "skip", title: "Skip", says: "undecided" },
  { key: "b", name: "add", title: "Add", says: "a boundary elsewhere: ← → to choose a place, Enter to set, Esc to cancel" },
  { key: "n", name: "note", title: "Note", says: "a comment on this place, also +" },
  { key: "u", name: "undo", title: "Undo", says: "undo the last judgement, also Ctrl+Z or ⌘Z" },
];

/** The name of the action of a key that is pressed. @param {string} key */
export function actionOfKey(key) {
  return KEYS.find((candidate) => candidate.key === key.toLowerCase() || (candidate.name === "note" && key === "+"))?.name;
}

/** Whether keys ask to undo, as they do everywhere. @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean}} event */
export function asksToUndo({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  return key.toLowerCase() === "z" && ctrlKey !== metaKey && !altKey && !shiftKey;
}

/** Whether an element takes the letters that are typed on it: a text field, a list to search, anything in a dialog. @param {HTMLElement} target */
export function takesLetters(target) {
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit"].includes(target.type);
  return Boolean(
    target.closest("textarea, select, iframe, [role=combobox], [role=listbox], [role=menu], [role=dialog], [role=grid]"),
  );
}

function keyList() {
  const box = element("div", "cs-help");
  const list = element("dl");
  const lines = [
    ...KEYS.map(({ key, title, says }) => [key, `${title}: ${says}`]),
    ["j ↓ · k ↑", "next and previous candidate, without judging"],
    ["?", "show or hide this list"],
  ];
  for (const [key, says] of lines) {
    const term = element("dt");
    term.append(element("kbd", "", key));
    list.append(term, element("dd", "", says));
  }
  box.append(list);
  box.hidden = true;
  return box;
}

/** The row of buttons below the text, with the list of keys. */
export class Toolbar {
  root = element("div", "cs-keys");
  help = keyList();
  judging = element("div", "cs-set");
  placing = element("div", "cs-set");
  placingSays = element("span", "cs-placing");
  /** @type {Map<string, HTMLButtonElement>} */ buttons = new Map();
  helpOpen = false;

  /** @param {Press} press @param {ToolbarActions} actions */
  constructor(press, actions) {
    this.root.setAttribute("role", "toolbar");
    this.root.setAttribute("aria-label", "Judge this place");
    for (const { key, name, title, says } of KEYS) {
      const made = press(title, `${title}: ${says}`, () => actions.act(name), { key, name });
      made.setAttribute("aria-keyshortcuts", key);
      this.buttons.set(name, made);
      this.judging.append(made);
    }
    this.judging.append(press("?", "Show the keys", actions.toggleHelp, { name: "help" }));
    this.placing.append(
      this.placingSays,
      press("←", "Previous place", () => actions.walk(-1), { name: "before" }),
      press("→", "Next place", () => actions.walk(1), { name: "after" }),
      press("Set here", "Set the boundary here", actions.place, { name: "set", key: "Enter" }),
      press("Cancel", "Cancel", actions.cancel, { name: "cancel", key: "Esc" }),
    );
    this.show("");
    this.root.append(this.judging, this.placing);
  }

  /** Shows the buttons that judge or, while a boundary is placed, those for that. @param {string} mode "move", "add" or "" */
  show(mode) {
    this.judging.hidden = mode !== "";
    this.placing.hidden = mode === "";
    if (mode) this.placingSays.textContent = mode === "move" ? "Move it to:" : "Add one at:";
  }

  /** @param {string | null} verdict on the place */
  showVerdict(verdict) {
    for (const [name, made] of this.buttons) {
      if (!["undo", "note", "add"].includes(name)) made.setAttribute("aria-pressed", String(name === verdict));
    }
  }

  /** @param {boolean} possible */
  allowUndo(possible) {
    const undo = this.buttons.get("undo");
    if (undo) undo.disabled = !possible;
  }

  /** Shows or hides the keys. @returns {string} the list in words; empty where it is hidden */
  toggleHelp() {
    this.helpOpen = !this.helpOpen;
    this.help.hidden = !this.helpOpen;
    if (!this.helpOpen) return "";
    return [...this.help.querySelectorAll("dt, dd")].map((part) => part.textContent).join(", ");
  }
}
