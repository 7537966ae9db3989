// The review desk: one place of the text at a time, judged by a key. A judgement counts here at once; it is kept in the
// browser's storage and sent again and again until the server confirms that it is stored. The place in the address is
// the browser's alone, so that the Back button leads to the view before and never through the places that were judged.

/** @import { StoredDocument } from "../base/bus.js" */
/** @import { Component } from "../base/dom.js" */
/** @import { ReviewDeskBody, ReviewDeskHead, ReviewDispute } from "../messages.js" */
/** @import { Action, EventRow, ReviewEvent } from "./events.js" */
/** @import { Outbox } from "./outbox.js" */
import { BUS, kept, shared } from "../base/bus.js";
import { applyTheme, closest, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { afterBlankLines, clip, oneLine, visible } from "../base/text.js";
import { unpack } from "../base/wire.js";
import { newToken, reduced } from "./events.js";
import { OTHER_TAB, outboxOf, waitingElsewhere } from "./outbox.js";

const KEPT_NAME = "chunkscope.reviewer";
const SEND_AGAIN_MS = 4000;
const ADDRESS_DELAY_MS = 500; // how long a candidate is shown before the address names it
const AROUND = 2400; // characters shown on either side of the place, to whole sentences
const LONGEST = 6000; // characters of one side, even of one sentence
const MONOSPACED = new Set(["code", "table"]);
/** @type {Record<string, string>} */
const UNDONE = { note: "the note", add: "the added boundary", complete: "the document is not complete" };
/** @type {Record<string, string>} */
const VERDICTS = { accept: "accepted", reject: "rejected", move: "moved", skip: "skipped" };

/** The keys, as the buttons and the list of keys name them. */
const KEYS = [
  { key: "a", name: "accept", title: "Accept", says: "a boundary belongs here" },
  { key: "r", name: "reject", title: "Reject", says: "none belongs here" },
  { key: "m", name: "move", title: "Move", says: "it belongs nearby: ← → to choose a place, Enter to set, Esc to cancel" },
  { key: "s", name: "skip", title: "Skip", says: "undecided" },
  { key: "b", name: "add", title: "Add", says: "a boundary elsewhere: ← → to choose a place, Enter to set, Esc to cancel" },
  { key: "n", name: "note", title: "Note", says: "a comment on this place, also +" },
  { key: "u", name: "undo", title: "Undo", says: "undo the last judgement" },
];
/** @type {Record<string, number>} */
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Whether an element takes the letters that are typed on it: a text field, a list to search, anything in a dialog. */
function takesLetters(/** @type {HTMLElement} */ target) {
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit"].includes(target.type);
  return Boolean(
    target.closest("textarea, select, iframe, [role=combobox], [role=listbox], [role=menu], [role=dialog], [role=grid]"),
  );
}

class ReviewDesk {
  /** @type {Component} */ component;
  /** @type {ReviewDeskBody} */ data;
  /** @type {StoredDocument} */ stored;
  /** @type {Outbox} */ outbox;
  state = reduced([]);
  current = -1; // index of the candidate in the server's order
  /** @type {{mode: string, at: number} | null} */ placing = null; // while a boundary is moved or added; `at`: an index of `places`
  /** @type {Map<string, number>} */ own = new Map(); // token -> offset of the events made here
  /** @type {Map<number, number>} */ indexOf = new Map(); // offset -> index of the candidate
  /** @type {Int32Array} */ candidates = new Int32Array(0);
  /** @type {Int32Array} */ sentenceEnds = new Int32Array(0);
  /** @type {{places: Int32Array, at: Int32Array} | undefined} */ converted;
  /** @type {[number, number] | null} */ window = null; // the part of the text that is shown
  /** @type {string | undefined} */ desk;
  /** @type {string[] | null} */ trouble = null; // why nothing can be stored now
  /** @type {string[] | null} */ refused = null;
  reviewer = "";
  text = "";
  document = "";
  addressKey = "";
  content = "";
  helpOpen = false;
  late = false;
  sentAt = 0;
  attempt = 0;
  made = 0;
  doneShown = "";
  problemShown = "";
  again = 0;
  addressTimer = 0;
  abort = new AbortController();
  root = element("section", "cs-desk");
  bar = element("div", "cs-bar");
  track = element("div", "cs-track");
  counts = element("span", "cs-counts");
  saved = element("span", "cs-saved");
  problem = element("div", "cs-problem");
  notice = element("div", "cs-notice");
  head = element("div", "cs-head");
  where = element("b", "cs-where");
  verdict = element("span", "cs-verdict");
  why = element("span", "cs-why");
  scroller = element("div", "cs-scroller");
  noted = element("div", "cs-noted");
  keys = element("div", "cs-keys");
  help = element("div", "cs-help");
  done = element("div", "cs-done");
  live = element("div", "cs-live");
  disputes = element("div", "cs-disputes");
  who = element("form", "cs-who");
  name = element("input");
  note = element("input");
  noteForm = element("form", "cs-note");
  judging = element("div", "cs-set");
  walking = element("div", "cs-set");
  placingSays = element("span", "cs-placing");
  /** @type {Map<string, HTMLButtonElement>} */ buttons = new Map();
  back = this.button("k", "‹", "Previous candidate (k or ↑)", () => this.step(-1));
  forth = this.button("j", "›", "Next candidate (j or ↓)", () => this.step(1));

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.build();
    parent.append(this.root);
    this.listen();
  }

  // ---- frame

  build() {
    this.root.tabIndex = -1;
    this.root.setAttribute("aria-label", "Review desk");
    this.track.setAttribute("role", "progressbar");
    this.track.setAttribute("aria-valuemin", "0");
    this.bar.append(this.track, this.counts, this.saved);
    this.problem.setAttribute("role", "alert");
    this.problem.hidden = true;
    this.notice.setAttribute("role", "status");
    this.notice.hidden = true;
    this.head.append(this.back, this.forth, this.where, this.verdict, this.why);
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", "The text around the place");
    this.noted.dir = "auto";
    this.keys.setAttribute("role", "toolbar");
    this.keys.setAttribute("aria-label", "Judge this place");
    this.help.hidden = true;
    this.done.hidden = true;
    this.live.setAttribute("role", "status");
    const parts = [this.bar, this.done, this.head, this.scroller, this.noted, this.keys, this.help];
    this.root.append(this.problem, this.notice, this.who, ...parts, this.disputes, this.live);
    this.buildKeys();
    this.buildNote();
    this.buildHelp();
    this.buildName();
  }

  button(/** @type {string} */ key, /** @type {string} */ title, /** @type {string} */ says, /** @type {() => void} */ act, className = "cs-key") {
    const made = element("button", className);
    made.type = "button";
    made.title = says;
    made.setAttribute("aria-label", says);
    made.append(title);
    made.addEventListener("click", (event) => {
      act();
      if (event.detail > 0 || !made.isConnected || made.hidden || made.disabled) this.focus();
    });
    return made;
  }

  buildKeys() {
    for (const { key, name, title, says } of KEYS) {
      const made = this.button(key, title, `${title}: ${says}`, () => this.act(name));
      made.append(element("kbd", "", key));
      made.setAttribute("aria-keyshortcuts", key);
      made.dataset.act = name;
      this.buttons.set(name, made);
      this.judging.append(made);
    }
    const keys = this.button("?", "?", "Show the keys", () => this.showHelp());
    keys.dataset.act = "help";
    this.judging.append(keys);
    this.walking.append(
      this.placingSays,
      this.key("before", "←", "Previous place", () => this.walk(-1)),
      this.key("after", "→", "Next place", () => this.walk(1)),
      this.key("set", "Set here", "Set the boundary here", () => this.place(), "Enter"),
      this.key("cancel", "Cancel", "Cancel", () => this.cancel(), "Esc"),
    );
    this.walking.hidden = true;
    this.keys.append(this.judging, this.walking);
  }

  key(/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ says, /** @type {() => void} */ act, /** @type {string} */ key = "") {
    const made = this.button(key, title, says, act);
    if (key) made.append(element("kbd", "", key));
    made.dataset.act = name;
    return made;
  }

  buildNote() {
    this.noteForm.hidden = true;
    this.note.type = "text";
    this.note.dir = "auto";
    this.note.setAttribute("aria-label", "Note about this place");
    this.note.placeholder = "A note about this place";
    const save = element("button", "cs-key", "Save note");
    save.type = "submit";
    save.append(element("kbd", "", "Enter"));
    const cancel = this.button("Escape", "Cancel", "Cancel, and keep the note as it was", () => this.closeNote());
    cancel.append(element("kbd", "", "Esc"));
    this.noteForm.append(this.note, save, cancel);
    this.noteForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.keepNote();
    });
    this.keys.append(this.noteForm);
  }

  buildHelp() {
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
    this.help.append(list);
  }

  buildName() {
    const label = element("label", "", "Reviewer name");
    this.name.type = "text";
    this.name.setAttribute("autocomplete", "nickname");
    this.name.dir = "auto";
    this.name.id = "cs-name";
    label.htmlFor = "cs-name";
    const begin = element("button", "cs-key cs-first", "Begin");
    begin.type = "submit";
    this.who.append(label, this.name, begin);
    this.who.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.name.value.trim();
      if (name) this.component.setTriggerValue("name", name);
    });
  }

  listen() {
    const { signal } = this.abort;
    // Before Streamlit's own keys (r runs the script again), and also where nothing has the focus.
    window.addEventListener("keydown", (event) => this.pressed(event), { capture: true, signal });
    window.addEventListener("online", () => this.send(), { signal });
    window.addEventListener(
      BUS.document,
      (event) => {
        const { detail } = /** @type {CustomEvent} */ (event);
        if (detail.document === this.document && this.stored !== shared.documents.get(this.document)) this.restore();
      },
      { signal },
    );
    window.addEventListener(OTHER_TAB, (event) => this.merge(/** @type {CustomEvent} */ (event).detail.prefix), { signal });
    this.scroller.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  // ---- messages from Python

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = /** @type {{head: ReviewDeskHead, body: () => ReviewDeskBody}} */ (unpack(component.data));
    applyTheme(this.root);
    this.reviewer = head.reviewer;
    const named = Boolean(head.reviewer);
    this.who.hidden = named;
    for (const part of [this.bar, this.head, this.scroller, this.keys]) part.hidden = !named;
    if (!named) return this.showNameForm(head);
    this.remember(head.reviewer);
    const other = head.desk !== this.desk;
    if (other) {
      this.desk = undefined; // what is shown belongs to the desk before
      this.notice.hidden = true;
    }
    if (head.text !== this.text) {
      this.text = head.text;
      this.outbox = outboxOf(head.text);
      this.outbox.read();
    }
    const known = new Set(other || !this.data ? [] : this.rows().map(([token]) => token));
    this.document = head.document;
    this.addressKey = head.address_key;
    const answered = head.problem !== null || head.stored.some((/** @type {string} */ token) => this.outbox.events.has(token));
    this.outbox.remove(head.stored);
    this.refuse(head.refused);
    this.trouble = head.problem;
    if (answered) this.sentAt = 0;
    if (other || head.content !== this.content) {
      this.content = head.content;
      this.take(body());
      const news = this.data.events.filter(([token]) => !known.has(token));
      if (!other) this.showForeign(news.map(([token, , offset]) => [token, offset]));
    }
    if (other) {
      this.desk = head.desk;
      this.cancel(true);
      this.closeNote(true);
      this.open(head.at);
    } else this.recount();
    if (this.outbox.size && !this.sentAt && !this.trouble) this.send();
    this.tellSaved();
  }

  showNameForm(/** @type {ReviewDeskHead} */ head) {
    for (const part of [this.noted, this.help, this.disputes, this.done, this.notice]) part.hidden = true;
    this.desk = undefined;
    if (this.name.value) return;
    try {
      this.name.value = localStorage.getItem(KEPT_NAME) ?? "";
    } catch {
      // A browser without storage of its own: the name is typed again.
    }
    this.name.maxLength = head.name_limit;
    if (this.free()) this.name.focus({ preventScroll: true });
  }

  remember(/** @type {string} */ name) {
    try {
      localStorage.setItem(KEPT_NAME, name);
    } catch {
      // As above.
    }
  }

  refuse(/** @type {[string, string][]} */ refused) {
    if (!refused.length) return;
    this.outbox.remove(refused.map(([token]) => token));
    this.refused = refused.map(([, why]) => why);
  }

  take(/** @type {ReviewDeskBody} */ data) {
    this.data = data;
    this.disputes.hidden = false;
    this.help.hidden = !this.helpOpen;
    this.candidates = data.candidates;
    this.indexOf = new Map(Array.from(data.candidates, (offset, index) => [offset, index]));
    this.scroller.style.height = data.height;
    this.scroller.classList.toggle("cs-mono", data.mono);
    this.note.maxLength = data.note_limit;
    this.restore();
    this.showDisputes();
  }

  /** The text, as soon as the store has it. */
  restore() {
    const stored = shared.documents.get(this.document);
    if (!stored || !this.data) return;
    const later = this.stored !== stored;
    this.stored = stored;
    this.sentenceEnds = stored.spans.filter((/** @type {number} */ _, /** @type {number} */ i) => i % 2 === 1);
    if (later && this.desk !== undefined) {
      this.recount();
      this.show();
      this.showDisputes();
    }
  }

  /** Begins where this page of the browser left this desk; the first desk of a page with the candidate that the address
   * names; else with the first that is not judged. The address does not know what was judged without a server. */
  open(/** @type {number | null} */ at) {
    this.count();
    const here = this.indexOf.get(desks().get(this.desk ?? "") ?? -1);
    const asked = desks().size || at === null ? undefined : this.indexOf.get(at);
    const since = asked !== undefined && this.waiting().some(({ offset }) => offset === at);
    this.current = here ?? (since && asked !== undefined ? this.nextOpen(asked) : asked) ?? this.nextOpen(-1);
    if (this.current < 0) this.current = this.candidates.length ? 0 : -1;
    this.recount();
    this.show();
    this.nameInAddress();
    if (this.free()) this.focus();
  }

  /** Names the candidate in the address, in place of the one before: a reload and a shared link lead to it. */
  nameInAddress() {
    clearTimeout(this.addressTimer);
    if (this.current < 0) return;
    const url = new URL(window.location.href);
    const place = `${this.offset}@${this.addressKey}`;
    if (url.searchParams.get("at") === place) return;
    url.searchParams.set("at", place);
    window.history.replaceState(window.history.state, "", url);
  }

  /** Whether nothing has the focus that a user could be at work in: the page itself, or what Streamlit scrolls. */
  free() {
    const active = window.document.activeElement;
    return !active || active === window.document.body || active.matches("[data-testid='stMain']");
  }

  focus() {
    this.root.focus({ preventScroll: true });
  }

  // ---- what was judged

  /** Events of this reviewer that are not among those that the server sent: not confirmed, or stored by another tab. */
  waiting() {
    const known = new Set(this.data.events.map((row) => row[0]));
    return [...this.outbox.confirmed.values(), ...this.outbox.events.values()]
      .filter((event) => !known.has(event.token) && event.reviewer === this.reviewer && !event.decides)
      .sort((a, b) => a.made - b.made);
  }

  /** Counts what this reviewer judges in another tab of this browser, and leaves a place that is judged there. */
  merge(/** @type {string} */ prefix) {
    if (prefix !== this.outbox?.prefix || !this.data || this.desk === undefined) return;
    const open = this.current >= 0 && this.actionOn(this.offset) === null && !this.placing && this.noteForm.hidden;
    this.recount();
    this.showForeign(this.waiting().map(({ token, offset }) => [token, offset]));
    if (open && this.actionOn(this.offset) !== null) this.advance();
    this.tellSaved();
  }

  /** Reports events, [token, offset], of this reviewer that were not made here. */
  showForeign(/** @type {[string, number][]} */ events) {
    const foreign = events.filter(([token]) => !this.own.has(token));
    if (!foreign.length) return;
    const here = new Set(this.own.values());
    const twice = foreign.some(([, offset]) => here.has(offset));
    this.notice.textContent =
      `Another tab or browser is reviewing this document as ${visible(this.reviewer)}: the judgements of both are merged.` +
      (twice ? " A place was judged in both: the latest judgement counts, and Undo returns to the one before." : "");
    this.notice.hidden = false;
  }

  /** @returns {EventRow[]} */
  rows() {
    const own = this.waiting().map(({ token, action, offset, target, note, undoes }) => /** @type {EventRow} */ (
      [token, action, offset, target, note, undoes]
    ));
    return [.../** @type {EventRow[]} */ (this.data.events), ...own];
  }

  count() {
    this.state = reduced(this.rows());
  }

  /** Counts anew, and shows what has changed of it. */
  recount() {
    this.count();
    /** @type {Record<string, number>} */
    const counts = { accept: 0, reject: 0, move: 0, skip: 0 };
    let judged = 0;
    for (const offset of this.candidates) {
      const action = this.actionOn(offset);
      if (action === null) continue;
      judged++;
      counts[action]++;
    }
    const of = this.candidates.length;
    const shares = ["accept", "move", "reject", "skip"].map((action) => {
      const part = element("i");
      part.dataset.verdict = action;
      part.style.width = `${of ? (100 * counts[action]) / of : 0}%`;
      return part;
    });
    this.track.replaceChildren(...shares);
    this.track.setAttribute("aria-valuemax", String(of));
    this.track.setAttribute("aria-valuenow", String(judged));
    const elsewhere = [...this.state.verdicts].filter(([offset]) => !this.indexOf.has(offset));
    counts.add = elsewhere.filter(([, { action }]) => action === "add").length;
    const said = Object.entries({ ...VERDICTS, add: "added" }).filter(([action]) => counts[action]);
    const words = said.map(([action, word]) => element("span", "", `${number.format(counts[action])} ${word}`));
    const progress = `${number.format(judged)} of ${number.format(of)} judged`;
    this.track.setAttribute("aria-label", progress);
    this.counts.replaceChildren(element("b", "", progress), ...words);
    /** @type {HTMLButtonElement} */ (this.buttons.get("undo")).disabled = !this.state.last;
    this.showDone(of > 0 && judged === of, counts.skip);
    this.showHead();
    this.mark();
  }

  /** The end of the review: the next document, and the declaration that completes this one. */
  showDone(/** @type {boolean} */ done, /** @type {number} */ skipped) {
    const { complete } = this.state;
    const { next } = this.data;
    this.done.hidden = !done;
    const shown = `${done} ${skipped} ${complete} ${next}`;
    if (shown === this.doneShown) return;
    this.doneShown = shown;
    const left = skipped ? ` ${plural(skipped, "candidate")} skipped: decide ${skipped === 1 ? "it" : "them"} to complete.` : "";
    const parts = [
      element("b", "", complete ? "✓ Review complete." : "✓ Done: all candidates are judged."),
      element(
        "span",
        "",
        complete
          ? "All gaps that you did not call a boundary count as non-boundaries."
          : `Gaps that are no candidates stay unknown, unless you have read the whole text.${left}`,
      ),
    ];
    if (!complete && !skipped) {
      const says = "Declare that there are no boundaries but those that you accepted, added or moved";
      parts.push(this.key("complete", "Mark document as complete", says, () => this.complete()));
    }
    if (next) {
      parts.push(this.key("next", "Next document", `Next document: ${next}`, () => this.component.setTriggerValue("next", true)));
      parts.push(element("span", "", visible(next)));
    }
    this.done.replaceChildren(...parts);
  }

  complete() {
    this.make("complete", 0);
    this.recount();
    this.say("The document is complete.");
    this.send();
  }

  /** The last word on a candidate; one that was added, or that another was moved to, is accepted. */
  actionOn(/** @type {number} */ offset) {
    const said = this.state.verdicts.get(offset)?.action ?? null;
    const boundary = this.state.votes.get(offset);
    if (boundary === undefined || (said === "move" && !boundary)) return said;
    return boundary ? "accept" : "reject";
  }

  /** The next candidate after `index` without a judgement, from the start again at the end; -1 for none. */
  nextOpen(/** @type {number} */ index) {
    const { length } = this.candidates;
    for (let step = 1; step <= length; step++) {
      const next = (index + step + length) % length;
      if (this.actionOn(this.candidates[next]) === null) return next;
    }
    return -1;
  }

  get offset() {
    return this.candidates[this.current];
  }

  make(/** @type {Action} */ action, /** @type {number} */ offset, more = {}) {
    const event = {
      token: newToken(),
      document: this.text,
      reviewer: this.reviewer,
      action,
      offset,
      target: null,
      note: "",
      undoes: "",
      proposal_id: this.data.proposal_id,
      blind: this.data.blind,
      decides: false,
      made: (this.made = Math.max(Date.now(), this.made + 1)),
      ...more,
    };
    this.own.set(event.token, offset);
    this.outbox.add(event);
    return event;
  }

  act(/** @type {string} */ name) {
    if (name === "undo") return this.undo();
    if (this.current < 0) return undefined;
    if (name === "move" || name === "add") return this.startPlacing(name);
    if (name === "note") return this.openNote();
    return this.judge(/** @type {Action} */ (name), this.offset);
  }

  judge(/** @type {Action} */ action, /** @type {number} */ offset, /** @type {Partial<ReviewEvent>} */ more = {}) {
    this.make(action, offset, more);
    this.count();
    this.advance(`${capital(VERDICTS[action])}.`);
    this.send();
  }

  /** Shows the next candidate without a judgement, or this one where all are judged. */
  advance(/** @type {string | undefined} */ said = undefined) {
    const next = this.nextOpen(this.current);
    if (next >= 0) this.current = next;
    this.recount();
    this.show(said && next < 0 ? `${said} All are judged.` : said);
    this.nameInAddress();
  }

  undo() {
    const { last } = this.state;
    if (!last) return this.say("Nothing to undo.");
    const [token, action, offset] = last;
    this.make("undo", 0, { undoes: token });
    const index = action === "complete" ? undefined : this.indexOf.get(offset);
    if (index !== undefined) this.current = index;
    this.recount();
    this.show(`Undone: ${UNDONE[action] ?? VERDICTS[action]}.`);
    this.nameInAddress();
    return this.send();
  }

  step(/** @type {number} */ by) {
    const { length } = this.candidates;
    if (!length) return;
    const next = this.current + by;
    if (next < 0 || next >= length) return this.say(by > 0 ? "This is the last candidate." : "This is the first candidate.");
    this.current = next;
    this.showHead();
    this.show("");
    clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => this.nameInAddress(), ADDRESS_DELAY_MS);
  }

  // ---- move and add

  startPlacing(/** @type {string} */ mode) {
    if (!this.data.places.length) return;
    const { places } = this.data;
    const nearest = lowerBound(places, this.offset);
    const here = places[nearest] === this.offset;
    this.placing = { mode, at: Math.min(here && mode === "add" ? nearest + 1 : nearest, places.length - 1) };
    this.judging.hidden = true;
    this.walking.hidden = false;
    this.placingSays.textContent = mode === "move" ? "Move it to:" : "Add one at:";
    this.focus();
    this.show(`${capital(mode)}: the arrow keys choose a place, Enter sets the boundary.`, true);
  }

  walk(/** @type {number} */ by) {
    if (!this.placing) return;
    const at = this.placing.at + by;
    if (at < 0 || at >= this.data.places.length) return this.say("There is no further place.");
    this.placing.at = at;
    this.show("", true);
  }

  place() {
    if (!this.placing) return;
    const { mode, at } = this.placing;
    const target = this.data.places[at];
    this.cancel(true);
    if (mode === "move" && target === this.offset) return this.judge("accept", target);
    if (mode === "move") return this.judge("move", this.offset, { target });
    const proposed = this.indexOf.has(target);
    this.make(proposed ? "accept" : "add", target);
    this.recount();
    if (target === this.offset) this.advance("Accepted.");
    else this.show("Added.");
    return this.send();
  }

  cancel(silent = false) {
    if (!this.placing) return;
    this.placing = null;
    this.judging.hidden = false;
    this.walking.hidden = true;
    this.focus();
    if (!silent) this.show("Cancelled.");
  }

  // ---- notes

  openNote() {
    this.noteForm.hidden = false;
    this.judging.hidden = true;
    this.note.value = this.state.notes.get(this.offset) ?? "";
    this.note.focus();
  }

  keepNote() {
    const note = this.note.value.trim();
    if (note !== (this.state.notes.get(this.offset) ?? "")) {
      this.make("note", this.offset, { note });
      this.recount();
      this.send();
    }
    this.closeNote();
    this.say(note ? "Note saved." : "Note removed.");
  }

  closeNote(silent = false) {
    if (this.noteForm.hidden) return;
    this.noteForm.hidden = true;
    this.judging.hidden = Boolean(this.placing);
    if (!silent) this.focus();
  }

  // ---- keys and pointer

  pressed(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !this.reviewer || !this.data) return;
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    const inside = event.composedPath().includes(this.root);
    // A switch or a button elsewhere keeps the keys that work it (arrows, Enter); letters are free for the desk.
    if (!inside && !this.free() && (event.key.length > 1 || event.key === " " || takesLetters(target))) return;
    if (target instanceof HTMLInputElement && inside) {
      if (event.key === "Escape" && target === this.note) this.handle(event, () => this.closeNote());
      else event.stopPropagation();
      return;
    }
    const act = this.meaning(event, target instanceof HTMLButtonElement && inside);
    if (act) this.handle(event, act);
  }

  handle(/** @type {KeyboardEvent} */ event, /** @type {() => void} */ act) {
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  /** The effect of a key at present; null for none. */
  meaning(/** @type {KeyboardEvent} */ { key, repeat }, /** @type {boolean} */ onButton) {
    if (this.placing) {
      /** @type {Record<string, number>} */
      const walks = { ArrowLeft: -1, ArrowRight: 1 };
      // In a text that runs from right to left, so do the keys.
      const turn = getComputedStyle(this.scroller.querySelector(".cs-text") ?? this.root).direction === "rtl" ? -1 : 1;
      if (key in walks) return () => this.walk(turn * walks[key]);
      if (key === "Enter" && !onButton) return () => this.place();
      if (key === "Escape") return () => this.cancel();
      if (key === "ArrowUp" || key === "ArrowDown") return () => this.walk(key === "ArrowDown" ? 1 : -1);
    }
    if (key === "PageDown" || key === "PageUp") {
      const by = (key === "PageDown" ? 0.8 : -0.8) * this.scroller.clientHeight;
      return () => this.scroller.scrollBy({ top: by });
    }
    if (this.placing) return null;
    if (key in STEPS) return () => this.step(STEPS[key]);
    if (key === "?") return repeat ? () => {} : () => this.showHelp();
    if (key === "Escape" && this.helpOpen) return () => this.showHelp();
    const named = KEYS.find((known) => known.key === key.toLowerCase() || (known.name === "note" && key === "+"));
    // A key that is held down does not judge what nobody has seen.
    return named ? (repeat ? () => {} : () => this.act(named.name)) : null;
  }

  /** While a boundary is placed, a click in the text sets the nearest place. */
  clicked(/** @type {MouseEvent} */ event) {
    const { placing } = this;
    if (!placing) return;
    const piece = closest(event.target, "[data-sentence]");
    if (!piece || !this.stored) return;
    const box = piece.getClientRects();
    const before = event.clientY < (box[0].top + box[box.length - 1].bottom) / 2;
    const sentence = Number(piece.dataset.sentence);
    const middle = before ? this.stored.spans[2 * sentence] : this.stored.spans[2 * sentence + 1];
    const places = this.where16();
    const right = Math.min(lowerBound(places, middle), places.length - 1);
    const left = Math.max(0, right - 1);
    placing.at = Math.abs(places[left] - middle) < Math.abs(places[right] - middle) ? left : right;
    this.show("", true);
    this.focus();
  }

  showHelp() {
    this.helpOpen = !this.helpOpen;
    this.help.hidden = !this.helpOpen;
    this.say(this.helpOpen ? [...this.help.querySelectorAll("dt, dd")].map((part) => part.textContent).join(", ") : "");
  }

  // ---- showing

  where16() {
    if (this.converted?.places !== this.data.places) {
      this.converted = { places: this.data.places, at: this.stored.utf16(this.data.places) };
    }
    return this.converted.at;
  }

  at16(/** @type {number} */ offset) {
    return this.stored.utf16(Int32Array.of(offset))[0];
  }

  showHead() {
    const { length } = this.candidates;
    this.back.disabled = this.current <= 0;
    this.forth.disabled = this.current >= length - 1;
    if (this.current < 0) {
      this.where.textContent = "This strategy proposes no boundary here.";
      this.verdict.textContent = this.why.textContent = "";
      this.noted.hidden = true;
      return;
    }
    this.where.textContent = `${number.format(this.current + 1)} of ${number.format(length)}`;
    const action = this.actionOn(this.offset);
    this.root.dataset.verdict = action ?? "";
    this.verdict.textContent = action ? VERDICTS[action] : "not judged";
    for (const [name, made] of this.buttons) made.setAttribute("aria-pressed", String(name === action));
    for (const name of ["undo", "note", "add"]) this.buttons.get(name)?.removeAttribute("aria-pressed");
    const note = this.state.notes.get(this.offset) ?? "";
    this.noted.hidden = !note;
    this.noted.textContent = visible(note);
    this.showWhy();
  }

  showWhy() {
    const why = this.data.why[this.current] ?? "";
    const driver = this.data.driver[this.current] ?? "";
    this.why.dataset.driver = driver;
    this.why.textContent = this.data.blind ? "Blind" : visible(why);
    if (driver && !this.data.blind) this.why.prepend(element("i", "", `${this.data.glyphs[driver]} `));
  }

  /** The text around the place that is judged or, while one is set, around that. */
  show(/** @type {string | undefined} */ said = undefined, near = false) {
    if (this.current >= 0) desks().set(this.desk ?? "", this.offset);
    if (!this.stored) return;
    if (this.current < 0) return this.scroller.replaceChildren();
    const shown = this.placing ? this.data.places[this.placing.at] : this.offset;
    const focus = this.at16(shown);
    const old = near && this.window && focus > this.window[0] + 200 && focus < this.window[1] - 200;
    const [from, to] = old && this.window ? this.window : this.around(focus);
    const top = this.scroller.scrollTop;
    this.window = [from, to];
    this.draw(from, to);
    const mark = this.scroller.querySelector(".cs-here") ?? this.scroller.querySelector(".cs-mark");
    if (old) this.scroller.scrollTop = top;
    if (mark) this.bring(mark, Boolean(old));
    if (said !== undefined) this.say([said, this.spoken(focus)].filter(Boolean).join(" "));
  }

  /** Whole sentences before and after a place, as much as there is room for. */
  around(/** @type {number} */ focus) {
    const { spans, sentences, text } = this.stored;
    const ends = this.sentenceEnds;
    const first = Math.min(lowerBound(ends, Math.max(0, focus - AROUND)), sentences - 1);
    const last = Math.min(lowerBound(ends, Math.min(text.length, focus + AROUND)), sentences - 1);
    const from = first <= 0 ? 0 : spans[2 * first];
    const to = last >= sentences - 1 ? text.length : spans[2 * last + 1];
    return /** @type {[number, number]} */ ([Math.max(from, focus - LONGEST), Math.min(to, focus + LONGEST)]);
  }

  /** Draws a stretch of the text, divided at the place that is judged and at the one that is being set. */
  draw(/** @type {number} */ from, /** @type {number} */ to) {
    const marks = new Map();
    marks.set(this.at16(this.offset), this.divider("cs-mark", this.says()));
    if (this.placing) {
      const at = this.where16()[this.placing.at];
      marks.set(at, this.divider("cs-here", this.placing.mode === "move" ? "Move it here" : "Add one here"));
    }
    const cuts = [...marks.keys()].filter((at) => at > from && at <= to).sort((a, b) => a - b);
    const parts = [];
    let at = from;
    for (const cut of [...cuts, to]) {
      if (cut > at) parts.push(this.stretch(at, cut));
      if (marks.has(cut) && cuts.includes(cut)) parts.push(marks.get(cut));
      at = cut;
    }
    if (from > 0) parts.unshift(element("div", "cs-more", "…"));
    if (to < this.stored.text.length) parts.push(element("div", "cs-more", "…"));
    this.scroller.replaceChildren(...parts);
    this.mark();
  }

  /** The words at the place that is judged. */
  says() {
    if (!this.placing) return "Boundary here?";
    return this.placing.mode === "move" ? "from here" : "";
  }

  divider(/** @type {string} */ className, /** @type {string} */ words) {
    const made = element("div", className);
    made.append(element("span", "", words));
    made.setAttribute("role", "separator");
    if (words) made.setAttribute("aria-label", words);
    return made;
  }

  /** The text between two offsets, a span a sentence; blank lines at its edges would only be a hole. */
  stretch(/** @type {number} */ from, /** @type {number} */ to) {
    const { text, spans, kinds, kindNames, sentences } = this.stored;
    const box = element("div", "cs-text");
    box.dir = "auto";
    const slice = text.slice(from, to);
    let at = afterBlankLines(text, from, to);
    const end = Math.max(at, from + slice.trimEnd().length);
    for (let sentence = lowerBound(this.sentenceEnds, at + 1); sentence < sentences; sentence++) {
      const start = Math.max(at, spans[2 * sentence]);
      const stop = Math.min(end, spans[2 * sentence + 1]);
      if (start >= stop) break;
      const kind = kindNames[kinds[sentence]];
      const mono = MONOSPACED.has(kind);
      // The indentation of a line of code stands before it.
      if (start > at) box.append(element("span", mono ? "cs-mono" : "", visible(text.slice(at, start))));
      const piece = element("span", "cs-s", visible(text.slice(start, stop)));
      piece.dataset.sentence = String(sentence);
      if (mono) piece.classList.add("cs-mono");
      else if (kind === "heading") piece.classList.add("cs-heading");
      box.append(piece);
      at = stop;
    }
    if (at < end) box.append(visible(text.slice(at, end)));
    return box;
  }

  /** Ticks where the reviewer has set boundaries in the text that is shown. */
  mark() {
    if (!this.stored || !this.window) return;
    for (const old of this.scroller.querySelectorAll(".cs-set-here")) old.classList.remove("cs-set-here");
    for (const [offset, boundary] of this.state.votes) {
      if (!boundary) continue;
      const at = this.at16(offset);
      if (at < this.window[0] || at > this.window[1]) continue;
      const sentence = lowerBound(this.sentenceEnds, at + 1);
      this.scroller.querySelector(`[data-sentence="${sentence}"]`)?.classList.add("cs-set-here");
    }
  }

  bring(/** @type {Element} */ mark, /** @type {boolean} */ gently) {
    const box = mark.getBoundingClientRect();
    const view = this.scroller.getBoundingClientRect();
    if (gently && box.top > view.top + 60 && box.bottom < view.bottom - 60) return;
    this.scroller.scrollTop += box.top - view.top - view.height * 0.45;
  }

  spoken(/** @type {number} */ focus) {
    const before = tail(this.stored.text.slice(Math.max(0, focus - 160), focus), 80);
    const after = clip(this.stored.text.slice(focus, focus + 160), 80);
    const place = this.placing ? "" : `${this.where.textContent}, ${this.verdict.textContent}. `;
    return `${place}Before: ${before} — After: ${after}`;
  }

  say(/** @type {string} */ words) {
    this.live.textContent = words;
  }

  // ---- disputes

  /** Disagreements: those to decide, those that are settled and, on request alone, those on places that this reviewer
   * has not judged, since the verdicts of others would sway her own. */
  showDisputes() {
    const { disputes } = this.data;
    const open = disputes.filter(({ judged, decided }) => judged && !decided);
    /** @type {HTMLElement[]} */
    const parts = open.length ? [element("h4", "", plural(open.length, "disagreement")), this.disputed(open)] : [];
    const settled = disputes.filter(({ judged, decided }) => judged && decided);
    const unjudged = disputes.filter(({ judged }) => !judged);
    /** @type {[string, ReviewDispute[], string][]} */
    const folded = [
      ["settled", settled, "settled"],
      ["unjudged", unjudged, "on places that you have not judged; opening shows the verdicts of others"],
    ];
    for (const [name, rows, words] of folded) {
      if (!rows.length) continue;
      const box = element("details", `cs-${name}`);
      box.open = this.disputes.querySelector(`.cs-${name}`)?.hasAttribute("open") ?? false;
      box.append(element("summary", "", `${plural(rows.length, "disagreement")} ${words}`), this.disputed(rows));
      parts.push(box);
    }
    this.disputes.replaceChildren(...parts);
  }

  disputed(/** @type {ReviewDispute[]} */ rows) {
    const box = element("div", "cs-rows");
    box.append(...rows.map((/** @type {ReviewDispute} */ each) => this.dispute(each)));
    return box;
  }

  dispute(/** @type {ReviewDispute} */ { offset, choices, votes, decided }) {
    const row = element("div", "cs-dispute");
    row.dataset.offset = String(offset);
    if (this.stored) row.append(this.excerpt(this.at16(offset)));
    for (const { reviewer, says, note } of votes) {
      const vote = element("div", "cs-vote");
      vote.append(element("b", "", visible(reviewer)), element("span", "", says));
      if (note) vote.append(element("q", "", visible(note)));
      row.append(vote);
    }
    const line = element("div", "cs-set");
    for (const [title, action, place] of choices) {
      const made = this.button("", title, `${title}: decide for all reviewers`, () => this.decide(line, action, place));
      line.append(made);
    }
    line.append(element("span", "cs-decided", decided));
    row.append(line);
    return row;
  }

  decide(/** @type {HTMLElement} */ line, /** @type {Action} */ action, /** @type {number} */ offset) {
    this.make(action, offset, { decides: true });
    const words = `decided: ${action === "accept" ? "boundary" : "no boundary"}`;
    line.getElementsByClassName("cs-decided")[0].textContent = words;
    this.say(words);
    this.send();
  }

  excerpt(/** @type {number} */ at) {
    const { text } = this.stored;
    const box = element("div", "cs-excerpt");
    box.dir = "auto";
    const mark = element("i", "", "┃");
    mark.setAttribute("aria-label", "place");
    box.append(`…${tail(text.slice(Math.max(0, at - 160), at), 90)}`, mark, clip(text.slice(at, at + 160), 90));
    return box;
  }

  // ---- sending

  /** Sends all that the server has not confirmed. */
  send() {
    clearTimeout(this.again);
    this.sentAt = performance.now();
    this.attempt += 1;
    this.component.setStateValue("sent", {
      document: this.text,
      events: this.outbox.batch(),
      attempt: this.attempt,
    });
    this.tellSaved();
  }

  tellSaved() {
    const waiting = this.outbox.size;
    clearTimeout(this.again);
    if (waiting) this.again = window.setTimeout(() => this.sendAgain(), SEND_AGAIN_MS);
    const late = Boolean(waiting && (this.trouble || this.late));
    this.root.dataset.saved = waiting ? (late ? "late" : "soon") : "all";
    const until = this.outbox.kept ? "kept in this browser until then" : "keep this page open";
    this.saved.textContent = !waiting
      ? "✓ All saved"
      : late
        ? `${number.format(waiting)} not saved yet, ${until}`
        : `Saving ${number.format(waiting)}…`;
    if (!waiting) this.late = false;
    const elsewhere = waitingElsewhere(this.text);
    if (elsewhere) this.saved.textContent += ` · ${number.format(elsewhere)} of other documents, saved when these are opened`;
    this.tellProblem();
  }

  sendAgain() {
    this.late = true;
    this.send();
  }

  tellProblem() {
    const [problem, remedy] = this.trouble ?? (this.refused ? [`Not stored: ${this.refused[0]}`, ""] : ["", ""]);
    const said = `${problem} ${remedy}`.trim();
    this.problem.hidden = !said;
    if (said === this.problemShown) return;
    this.problemShown = said;
    this.problem.replaceChildren(element("span", "", said ? `⚠ ${said}` : ""));
    if (this.trouble) this.problem.append(this.button("", "Try again", "Try to save again", () => this.send()));
  }

  destroy() {
    this.abort.abort();
    clearTimeout(this.again);
    clearTimeout(this.addressTimer);
    this.root.remove();
  }
}

/** The end of a text on one line. */
function tail(/** @type {string} */ text, /** @type {number} */ length) {
  return [...oneLine(text)].slice(-length).join("");
}

/** The offset of the candidate on each desk. @returns {Map<string, number>} */
function desks() {
  return kept("desks", () => new Map());
}

function capital(/** @type {string} */ word) {
  return word[0].toUpperCase() + word.slice(1);
}

export default mounted(ReviewDesk);
