// The review desk: one place of the text at a time, judged by a key. A judgement counts here at once; it is kept in the
// browser's storage and sent again and again until the server confirms that it is stored. The place in the address is
// the browser's alone, so that the Back button leads to the view before and never through the places that were judged.

/** @import { Component } from "../base/dom.js" */
/** @import { ReviewDeskBody, ReviewDeskHead } from "../messages.js" */
/** @import { Action, EventRow, ReviewEvent } from "./events.js" */
/** @import { Outbox } from "./outbox.js" */
/** @import { Press } from "./toolbar.js" */
import { kept } from "../base/bus.js";
import { applyTheme, button, element, mounted, termed } from "../base/dom.js";
import { lowerBound, number } from "../../../../chunking/web/engine/numbers.js";
import { DATA_KEPT, storedDocument } from "../base/stored_document.js";
import { visible } from "../../../../chunking/web/base/text.js";
import { unpack } from "../base/wire.js";
import { DisputeList } from "./disputes.js";
import { newToken, reduced } from "./events.js";
import { NameForm, NoteForm } from "./forms.js";
import { DeskKeys } from "./keys.js";
import { VERDICTS, counted, nextOpen, verdictOn } from "./judged.js";
import { OTHER_TAB, outboxOf } from "./outbox.js";
import { Passage } from "./passage.js";
import { DonePanel, ProgressBar } from "./progress.js";
import { Saving } from "./saving.js";
import { Toolbar } from "./toolbar.js";

const NAME_FIELD = "Reviewer name"; // the label in the sidebar
const ADDRESS_DELAY_MS = 500; // how long a candidate is shown before the address names it
/** @type {Record<string, string>} */
const UNDONE = { note: "the note", add: "the added boundary", complete: "the document is not complete" };

export class ReviewDesk {
  /** @type {Component} */ component;
  /** @type {ReviewDeskBody} */ data;
  /** @type {Outbox} */ outbox;
  state = reduced([]);
  current = -1; // index of the candidate in the server's order
  /** @type {{mode: string, at: number} | null} */ placing = null; // while a boundary is moved or added; `at`: an index of `places`
  /** @type {Map<string, number>} */ own = new Map(); // token -> offset of the events made here
  /** @type {Map<number, number>} */ indexOf = new Map(); // offset -> index of the candidate
  /** @type {Int32Array} */ candidates = new Int32Array(0);
  /** @type {{places: Int32Array, at: Int32Array} | undefined} */ converted;
  /** @type {string | undefined} */ desk;
  reviewer = "";
  text = "";
  document = "";
  addressKey = "";
  content = "";
  made = 0;
  addressTimer = 0;
  abort = new AbortController();
  keys = new DeskKeys(this);
  root = element("section", "cs-desk");
  notice = element("div", "cs-notice");
  head = element("div", "cs-head");
  where = element("b", "cs-where");
  verdict = element("span", "cs-verdict");
  why = element("span", "cs-why");
  noted = element("div", "cs-noted");
  live = element("div", "cs-live");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    const press = this.press.bind(this);
    this.passage = new Passage();
    this.progress = new ProgressBar();
    this.saving = new Saving(press, (events, attempt) => {
      this.component.setStateValue("sent", { document: this.text, events, attempt });
    });
    this.done = new DonePanel(press, () => this.complete(), () => this.component.setTriggerValue("next", true));
    this.toolbar = new Toolbar(press, {
      act: (name) => this.act(name),
      toggleHelp: () => this.toggleHelp(),
      walk: (by) => this.walk(by),
      place: () => this.place(),
      cancel: () => this.cancel(),
    });
    this.note = new NoteForm(press, (note) => this.keepNote(note), () => this.closeNote());
    this.who = new NameForm((name) => this.component.setTriggerValue("name", name));
    this.disputes = new DisputeList(press, (action, offset, words) => this.decide(action, offset, words));
    this.back = press("‹", "Previous candidate (k or ↑)", () => this.step(-1));
    this.forth = press("›", "Next candidate (j or ↓)", () => this.step(1));
    this.build();
    parent.append(this.root);
    this.listen();
  }

  // ---- frame

  build() {
    this.root.tabIndex = -1;
    this.root.setAttribute("aria-label", "Review desk");
    this.notice.setAttribute("role", "status");
    this.notice.hidden = true;
    this.head.append(this.back, this.forth, this.where, this.verdict, this.why);
    this.noted.dir = "auto";
    this.live.setAttribute("role", "status");
    this.progress.root.append(this.saving.root);
    this.toolbar.root.append(this.note.root);
    const parts = [this.progress.root, this.done.root, this.head, this.passage.root, this.noted];
    this.root.append(this.saving.problem, this.notice, this.who.root, ...parts);
    this.root.append(this.toolbar.root, this.toolbar.help, this.disputes.root, this.live);
  }

  /** @type {Press} */
  press(title, says, act, { key = "", name = "" } = {}) {
    const made = button("cs-key", title, says);
    made.title = says;
    if (key) made.append(element("kbd", "", key));
    if (name) made.dataset.act = name;
    made.addEventListener("click", (event) => {
      act();
      // The keys work on after a click, and where the button that had the focus is gone.
      if (event.detail > 0 || !made.isConnected || made.hidden || made.disabled) this.focus();
    });
    return made;
  }

  listen() {
    const { signal } = this.abort;
    // Before Streamlit's own keys (r runs the script again), and also where nothing has the focus.
    window.addEventListener("keydown", (event) => this.keys.pressed(event), { capture: true, signal });
    window.addEventListener("online", () => this.saving.send(), { signal });
    window.addEventListener(DATA_KEPT, () => this.restore(), { signal });
    window.addEventListener(OTHER_TAB, (event) => this.merge(/** @type {CustomEvent} */ (event).detail.prefix), { signal });
    this.passage.root.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  // ---- messages from Python

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = /** @type {{head: ReviewDeskHead, body: () => ReviewDeskBody}} */ (unpack(component.data));
    applyTheme(this.root);
    this.reviewer = head.reviewer;
    const named = Boolean(head.reviewer);
    this.who.root.hidden = named;
    for (const part of [this.progress.root, this.head, this.passage.root, this.toolbar.root]) part.hidden = !named;
    if (!named) return this.showNameForm(head);
    this.who.remember(head.reviewer);
    const other = head.desk !== this.desk;
    if (other) {
      this.desk = undefined; // what is shown belongs to the desk before
      this.notice.hidden = true;
    }
    if (head.text !== this.text) {
      this.text = head.text;
      this.outbox = outboxOf(head.text);
      this.saving.open(head.text, this.outbox);
    }
    const earlierTokens = new Set(other || !this.data ? [] : this.rows().map(([token]) => token));
    this.document = head.document;
    this.addressKey = head.address_key;
    this.saving.answer(head.stored, head.refused, head.problem);
    if (other || head.content !== this.content) {
      this.content = head.content;
      this.take(body());
      const news = this.data.events.filter(([token]) => !earlierTokens.has(token));
      if (!other) this.showForeign(news.map(([token, , offset]) => [token, offset]));
    }
    if (other) {
      this.desk = head.desk;
      this.cancel(true);
      this.closeNote(true);
      this.open(head.at);
    } else this.recount();
    this.saving.sendWaiting();
  }

  /** @param {ReviewDeskHead} head */
  showNameForm(head) {
    for (const part of [this.noted, this.toolbar.help, this.disputes.root, this.done.root, this.notice]) part.hidden = true;
    this.desk = undefined;
    if (this.who.propose(head.name_limit) && this.free()) this.who.field.focus({ preventScroll: true });
  }

  /** @param {ReviewDeskBody} data */
  take(data) {
    this.data = data;
    this.disputes.root.hidden = false;
    this.toolbar.help.hidden = !this.toolbar.helpOpen;
    this.candidates = Int32Array.from(data.candidates, ({ offset }) => offset);
    this.indexOf = new Map(data.candidates.map(({ offset }, index) => [offset, index]));
    this.passage.root.style.height = data.height;
    this.passage.root.classList.toggle("cs-mono", data.mono);
    this.note.field.maxLength = data.note_limit;
    this.restore();
    this.disputes.show(data.disputes, this.stored);
  }

  get stored() {
    return this.passage.stored;
  }

  /** Takes the text, as soon as it is there. */
  restore() {
    const stored = storedDocument(this.document);
    if (!stored || !this.data || this.stored === stored) return;
    this.passage.take(stored);
    if (this.desk !== undefined) {
      this.recount();
      this.show();
      this.disputes.show(this.data.disputes, stored);
    }
  }

  /** Begins where this page of the browser left this desk; the first desk of a page with the candidate that the address
   * names; else with the first that is not judged. The address does not know what was judged without a server.
   *
   * @param {number | null} at
   */
  open(at) {
    this.count();
    const here = this.indexOf.get(desks().get(this.desk ?? "") ?? -1);
    const named = desks().size || at === null ? undefined : this.indexOf.get(at);
    const since = named !== undefined && this.waiting().some(({ offset }) => offset === at);
    this.current = here ?? (since && named !== undefined ? this.nextOpen(named) : named) ?? this.nextOpen(-1);
    if (this.current < 0) this.current = this.candidates.length ? 0 : -1;
    this.recount();
    this.show();
    this.nameInAddress();
    if (this.free() || this.isNameEntered()) this.focus();
  }

  /** Names the candidate in the address, in place of the one before: a reload and a shared link lead to it. */
  nameInAddress() {
    clearTimeout(this.addressTimer);
    if (this.current < 0) return;
    const url = new URL(window.location.href);
    const address = `${this.offset}@${this.addressKey}`;
    if (url.searchParams.get("at") === address) return;
    url.searchParams.set("at", address);
    window.history.replaceState(window.history.state, "", url);
  }

  /** Whether nothing has the focus that a user could be at work in: the page itself, or what Streamlit scrolls. */
  free() {
    const active = window.document.activeElement;
    return !active || active === window.document.body || active.matches("[data-testid='stMain']");
  }

  /** Whether the field of the sidebar has the focus in which the name of the reviewer was entered who begins here. */
  isNameEntered() {
    const active = window.document.activeElement;
    if (!(active instanceof HTMLInputElement) || active.ariaLabel !== NAME_FIELD) return false;
    return active.value.trim().replace(/\s+/g, " ") === this.reviewer;
  }

  focus() {
    this.root.focus({ preventScroll: true });
  }

  // ---- what was judged

  /** Events of this reviewer that are not among those that the server sent: not confirmed, or stored by another tab. */
  waiting() {
    const stored = new Set(this.data.events.map((row) => row[0]));
    return [...this.outbox.confirmed.values(), ...this.outbox.events.values()]
      .filter((event) => !stored.has(event.token) && event.reviewer === this.reviewer && !event.decides)
      .sort((a, b) => a.made - b.made);
  }

  /** Counts what this reviewer judges in another tab of this browser, and leaves a place that is judged there. @param {string} prefix */
  merge(prefix) {
    if (prefix !== this.outbox?.prefix || !this.data || this.desk === undefined) return;
    const open = this.current >= 0 && this.verdictHere === null && !this.placing && !this.note.isOpen;
    this.recount();
    this.showForeign(this.waiting().map(({ token, offset }) => [token, offset]));
    if (open && this.verdictHere !== null) this.advance();
    this.saving.tell();
  }

  /** Reports events, [token, offset], of this reviewer that were not made here. @param {[string, number][]} events */
  showForeign(events) {
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
    const waiting = this.waiting().map(({ token, action, offset, target, note, undoes }) => /** @type {EventRow} */ (
      [token, action, offset, target, note, undoes]
    ));
    return [.../** @type {EventRow[]} */ (this.data.events), ...waiting];
  }

  count() {
    this.state = reduced(this.rows());
  }

  /** Counts anew, and shows what has changed of it. */
  recount() {
    this.count();
    const counts = counted(this.state, this.candidates);
    this.progress.show(counts);
    this.done.show(counts, this.state.complete, this.data.next);
    this.toolbar.allowUndo(Boolean(this.state.last));
    this.showHead();
    this.tick();
  }

  complete() {
    this.make("complete", 0);
    this.recount();
    this.say("The document is complete.");
    this.saving.send();
  }

  get offset() {
    return this.candidates[this.current];
  }

  get verdictHere() {
    return verdictOn(this.state, this.offset);
  }

  /** @param {number} index */
  nextOpen(index) {
    return nextOpen(this.state, this.candidates, index);
  }

  /** @param {Action} action @param {number} offset @param {Partial<ReviewEvent>} more */
  make(action, offset, more = {}) {
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

  /** @param {string} name of a key */
  act(name) {
    if (name === "undo") return this.undo();
    if (this.current < 0) return undefined;
    if (name === "move" || name === "add") return this.startPlacing(name);
    if (name === "note") return this.openNote();
    return this.judge(/** @type {Action} */ (name), this.offset);
  }

  /** @param {Action} action @param {number} offset @param {Partial<ReviewEvent>} more */
  judge(action, offset, more = {}) {
    this.make(action, offset, more);
    this.count();
    this.advance(`${capital(VERDICTS[action])}.`);
    this.saving.send();
  }

  /** Shows the next candidate without a judgement, or this one where all are judged. @param {string | undefined} said */
  advance(said = undefined) {
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
    return this.saving.send();
  }

  /** @param {number} by */
  step(by) {
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

  /** Decides a disagreement for all reviewers. @param {Action} action @param {number} offset @param {string} words the decision */
  decide(action, offset, words) {
    this.make(action, offset, { decides: true });
    this.say(words);
    this.saving.send();
  }

  // ---- move and add

  /** @param {string} mode */
  startPlacing(mode) {
    const { places } = this.data;
    if (!places.length) return;
    const nearest = lowerBound(places, this.offset);
    const here = places[nearest] === this.offset;
    this.placing = { mode, at: Math.min(here && mode === "add" ? nearest + 1 : nearest, places.length - 1) };
    this.toolbar.show(mode);
    this.focus();
    this.show(`${capital(mode)}: the arrow keys choose a place, Enter sets the boundary.`, true);
  }

  /** @param {number} by */
  walk(by) {
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
    return this.saving.send();
  }

  cancel(silent = false) {
    if (!this.placing) return;
    this.placing = null;
    this.toolbar.show("");
    this.focus();
    if (!silent) this.show("Cancelled.");
  }

  // ---- notes

  openNote() {
    this.toolbar.judging.hidden = true;
    this.note.open(this.state.notes.get(this.offset) ?? "", `${this.text}/${this.offset}`);
  }

  /** @param {string} note */
  keepNote(note) {
    if (note !== (this.state.notes.get(this.offset) ?? "")) {
      this.make("note", this.offset, { note });
      this.recount();
      this.saving.send();
    }
    this.closeNote();
    this.say(note ? "Note saved." : "Note removed.");
  }

  closeNote(silent = false) {
    if (!this.note.isOpen) return;
    if (!silent) this.note.forget();
    this.note.close();
    this.toolbar.judging.hidden = Boolean(this.placing);
    if (!silent) this.focus();
  }

  // ---- help and pointer

  toggleHelp() {
    this.say(this.toolbar.toggleHelp());
  }

  /** While a boundary is placed, a click in the text sets the nearest place. @param {MouseEvent} event */
  clicked(event) {
    const { placing } = this;
    const edge = placing && this.passage.edgeAt(event);
    if (!placing || edge === null) return;
    const places = this.places16();
    const right = Math.min(lowerBound(places, edge), places.length - 1);
    const left = Math.max(0, right - 1);
    placing.at = Math.abs(places[left] - edge) < Math.abs(places[right] - edge) ? left : right;
    this.show("", true);
    this.focus();
  }

  // ---- showing

  /** The places where a boundary may be, as offsets of the JavaScript string. */
  places16() {
    const { places } = this.data;
    if (this.converted?.places !== places) this.converted = { places, at: this.stored?.utf16(places) ?? places };
    return this.converted.at;
  }

  /** @param {number} offset */
  at16(offset) {
    return this.stored?.utf16(Int32Array.of(offset))[0] ?? offset;
  }

  showHead() {
    const { length } = this.candidates;
    this.back.disabled = this.current <= 0;
    this.forth.disabled = this.current >= length - 1;
    if (this.current < 0) {
      this.where.textContent = "This strategy proposes no boundary here. Choose another under “Boundaries of”, or add one in the text.";
      this.verdict.textContent = this.why.textContent = "";
      this.noted.hidden = true;
      return;
    }
    this.where.textContent = `${number.format(this.current + 1)} of ${number.format(length)}`;
    const verdict = this.verdictHere;
    this.root.dataset.verdict = verdict ?? "";
    this.verdict.textContent = verdict ? VERDICTS[verdict] : "not judged";
    this.toolbar.showVerdict(verdict);
    const note = this.state.notes.get(this.offset) ?? "";
    this.noted.hidden = !note;
    this.noted.textContent = visible(note);
    this.showWhy();
  }

  showWhy() {
    const { blind, glyphs } = this.data;
    const { driver, why } = this.data.candidates[this.current] ?? { driver: "", why: "" };
    this.why.dataset.driver = driver;
    this.why.replaceChildren(blind ? termed(element("span", "", "Blind"), "blind") : visible(why));
    if (driver && !blind) this.why.prepend(element("i", "", `${glyphs[driver]} `));
  }

  /** Shows the text around the place that is judged or, while one is set, around that. @param {string | undefined} said */
  show(said = undefined, near = false) {
    if (this.current >= 0) desks().set(this.desk ?? "", this.offset);
    if (!this.stored) return;
    if (this.current < 0) return this.passage.clear();
    const { placing } = this;
    const moving = placing?.mode === "move";
    const judged = this.at16(this.offset);
    const dividers = [{ at: judged, className: "cs-mark", words: placing ? (moving ? "from here" : "") : "Boundary here?" }];
    const focus = placing ? this.places16()[placing.at] : judged;
    if (placing) dividers.push({ at: focus, className: "cs-here", words: moving ? "Move it here" : "Add one here" });
    this.passage.show(focus, dividers, near);
    this.tick();
    const position = placing ? "" : `${this.where.textContent}, ${this.verdict.textContent}. `;
    if (said !== undefined) this.say([said, position + this.passage.spoken(focus)].filter(Boolean).join(" "));
  }

  /** Ticks the boundaries that the reviewer has set in the text that is shown. */
  tick() {
    if (!this.stored) return;
    const boundaries = [...this.state.votes].filter(([, boundary]) => boundary);
    this.passage.tick(boundaries.map(([offset]) => this.at16(offset)));
  }

  /** @param {string} words */
  say(words) {
    this.live.textContent = words;
  }

  destroy() {
    this.abort.abort();
    this.saving.destroy();
    clearTimeout(this.addressTimer);
    this.root.remove();
  }
}

/** The offset of the candidate on each desk. @returns {Map<string, number>} */
function desks() {
  return kept("desks", () => new Map());
}

/** @param {string} word */
function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

export default mounted(ReviewDesk);
