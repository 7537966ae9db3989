// The two forms of the review desk: the reviewer's name, and a note.

/** @import { Press } from "./toolbar.js" */
import { element } from "../base/dom.js";

const KEPT_NAME = "chunkscope.reviewer";
const KEPT_NOTE = "chunkscope.note/"; // + document / offset: a note that is half typed

/** @param {string} words @param {string} className */
function submitButton(words, className) {
  const made = element("button", className, words);
  made.type = "submit";
  return made;
}

/** Asks for the reviewer's name, which the browser proposes the next time. */
export class NameForm {
  root = element("form", "cs-who");
  field = element("input");

  /** @param {(name: string) => void} begin */
  constructor(begin) {
    const label = element("label", "", "Reviewer name");
    this.field.type = "text";
    this.field.setAttribute("autocomplete", "nickname");
    this.field.dir = "auto";
    this.field.id = "cs-name";
    label.htmlFor = "cs-name";
    this.root.append(label, this.field, submitButton("Begin", "cs-key cs-first"));
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.field.value.trim();
      if (name) begin(name);
    });
  }

  /** @param {number} limit of a name, in characters @returns {boolean} whether the form is new to the user */
  propose(limit) {
    if (this.field.value) return false;
    try {
      this.field.value = localStorage.getItem(KEPT_NAME) ?? "";
    } catch {
      // A browser without storage of its own: the name is typed again.
    }
    this.field.maxLength = limit;
    return true;
  }

  /** @param {string} name */
  remember(name) {
    try {
      localStorage.setItem(KEPT_NAME, name);
    } catch {
      // As above.
    }
  }
}

/** Takes a note about a place. What is typed stays in the browser until it is saved or given up. */
export class NoteForm {
  place = "";
  root = element("form", "cs-note");
  field = element("input");

  /** @param {Press} press @param {(note: string) => void} keep @param {() => void} cancel */
  constructor(press, keep, cancel) {
    this.root.hidden = true;
    this.field.type = "text";
    this.field.dir = "auto";
    this.field.setAttribute("aria-label", "Note about this place");
    this.field.placeholder = "A note about this place";
    const save = submitButton("Save note", "cs-key");
    save.append(element("kbd", "", "Enter"));
    this.root.append(this.field, save, press("Cancel", "Cancel, and keep the note as it was", cancel, { key: "Esc" }));
    this.field.addEventListener("input", () => this.store((storage, key) => storage.setItem(key, this.field.value)));
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      keep(this.field.value.trim());
    });
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** @param {string} note that is saved @param {string} place document and offset */
  open(note, place) {
    this.root.hidden = false;
    this.place = place;
    this.field.value = note;
    this.store((storage, key) => (this.field.value = storage.getItem(key) ?? note));
    this.field.focus();
  }

  /** Drops what was typed and not saved. */
  forget() {
    this.store((storage, key) => storage.removeItem(key));
  }

  /** @param {(storage: Storage, key: string) => void} work */
  store(work) {
    try {
      work(localStorage, KEPT_NOTE + this.place);
    } catch {
      // A browser without storage of its own: a note lasts as long as the page.
    }
  }

  close() {
    this.root.hidden = true;
  }
}
