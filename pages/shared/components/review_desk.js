// The desk of a reviewer: one place of the text at a time, judged by a key. What was judged is counted here at once;
// it is kept in the browser's own storage and sent, again and again, until the server says that it is stored.

import { BUS, shared } from "./base/bus.js";
import { applyTheme, element, mounted } from "./base/dom.js";
import { lowerBound, number } from "./base/numbers.js";
import { clip, visible } from "./base/text.js";
import { unpack } from "./base/wire.js";

const KEPT = "chunkscope.review/"; // + document / token: an event that the server has not confirmed
const KEPT_NAME = "chunkscope.reviewer";
const BATCH = 200; // events sent at once, the oldest first
const SEND_AGAIN_MS = 4000;
const TELL_PLACE_MS = 500; // how long a candidate is looked at before the address names it
const AROUND = 2400; // characters shown on either side of the place, to whole sentences
const LONGEST = 6000; // characters of one side, even of one sentence
const MONOSPACED = new Set(["code", "table"]);
const VERDICTS = { accept: "accepted", reject: "rejected", move: "moved", skip: "skipped" };

/** The keys, as the buttons and the list of keys name them. */
const KEYS = [
  { key: "a", name: "accept", title: "Accept", says: "a boundary belongs here" },
  { key: "r", name: "reject", title: "Reject", says: "none belongs here" },
  { key: "m", name: "move", title: "Move", says: "it belongs nearby: ← → to walk, Enter to set, Esc to leave" },
  { key: "s", name: "skip", title: "Skip", says: "leave it undecided" },
  { key: "b", name: "add", title: "Add", says: "a boundary elsewhere: ← → to walk, Enter to set, Esc to leave" },
  { key: "n", name: "note", title: "Note", says: "words about this place, also +" },
  { key: "u", name: "undo", title: "Undo", says: "take the last one back" },
];
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function newToken() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the server has not confirmed, of one document; a key of the browser's storage for each event, so that two
 * tabs cannot overwrite each other's. */
class Outbox {
  constructor(document) {
    this.prefix = `${KEPT}${document}/`;
    this.events = new Map();
    this.kept = true;
    this.read();
  }

  /** Takes over what an earlier page left behind, or another tab has not brought home. */
  read() {
    const found = [];
    try {
      for (let index = 0; index < localStorage.length; index++) {
        const key = localStorage.key(index);
        if (!key.startsWith(this.prefix)) continue;
        const event = parsed(localStorage.getItem(key));
        if (event && key === this.prefix + event.token) found.push(event);
        else localStorage.removeItem(key);
      }
    } catch {
      this.kept = false;
    }
    found.sort((a, b) => a.made - b.made);
    for (const event of found) if (!this.events.has(event.token)) this.events.set(event.token, event);
  }

  add(event) {
    this.events.set(event.token, event);
    try {
      localStorage.setItem(this.prefix + event.token, JSON.stringify(event));
      this.kept = true;
    } catch {
      this.kept = false;
    }
  }

  remove(tokens) {
    for (const token of tokens) {
      this.events.delete(token);
      try {
        localStorage.removeItem(this.prefix + token);
      } catch {
        this.kept = false;
      }
    }
  }

  get size() {
    return this.events.size;
  }

  batch() {
    return [...this.events.values()].slice(0, BATCH);
  }
}

function parsed(text) {
  try {
    const event = JSON.parse(text);
    return event && typeof event.token === "string" && typeof event.made === "number" ? event : null;
  } catch {
    return null;
  }
}

/** Events of other documents that wait for their document to be opened again. */
function waitingElsewhere(document) {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
    return keys.filter((key) => key.startsWith(KEPT) && !key.startsWith(`${KEPT}${document}/`)).length;
  } catch {
    return 0;
  }
}

function outboxOf(document) {
  shared.outboxes ??= new Map();
  if (!shared.outboxes.has(document)) shared.outboxes.set(document, new Outbox(document));
  return shared.outboxes.get(document);
}

/** What a reviewer's events come to, as chunking/review/state.py says it: the last word on each place, what each place
 * then is (a move speaks of two), notes, and what can be taken back. `rows` are [token, action, offset, target, note,
 * undoes]: those that count on the server, then those that it has not confirmed. */
function reduced(rows) {
  const undone = new Set(rows.filter((row) => row[1] === "undo").map((row) => row[5]));
  const live = rows.filter((row) => row[1] !== "undo" && !undone.has(row[0]));
  const verdicts = new Map(); // in the order of the last word on each
  const notes = new Map();
  for (const [, action, offset, target, note] of live) {
    if (note || action === "note") notes.set(offset, note);
    if (action === "note") continue;
    verdicts.delete(offset);
    verdicts.set(offset, { action, target });
  }
  const votes = new Map();
  for (const [offset, { action, target }] of verdicts) {
    if (action === "skip") votes.delete(offset);
    else votes.set(offset, action === "accept" || action === "add");
    if (action === "move") votes.set(target, true);
  }
  return { verdicts, votes, notes, last: live.at(-1) };
}

class ReviewDesk {
  constructor(parent) {
    this.abort = new AbortController();
    this.state = reduced([]);
    this.current = -1; // index of the candidate in the server's order
    this.placing = null; // while a boundary is moved or added: {mode, at}, `at` an index of `places`
    this.build();
    parent.append(this.root);
    this.listen();
  }

  // ---- frame

  build() {
    this.root = element("section", "cs-desk");
    this.root.tabIndex = -1;
    this.root.setAttribute("aria-label", "Review desk");
    this.bar = element("div", "cs-bar");
    this.track = element("div", "cs-track");
    this.track.setAttribute("role", "progressbar");
    this.track.setAttribute("aria-valuemin", "0");
    this.counts = element("span", "cs-counts");
    this.saved = element("span", "cs-saved");
    this.bar.append(this.track, this.counts, this.saved);
    this.problem = element("div", "cs-problem");
    this.problem.setAttribute("role", "alert");
    this.problem.hidden = true;
    this.head = element("div", "cs-head");
    this.back = this.button("k", "‹", "The candidate before (k or ↑)", () => this.step(-1));
    this.forth = this.button("j", "›", "The candidate after (j or ↓)", () => this.step(1));
    this.where = element("b", "cs-where");
    this.verdict = element("span", "cs-verdict");
    this.why = element("span", "cs-why");
    this.head.append(this.back, this.forth, this.where, this.verdict, this.why);
    this.scroller = element("div", "cs-scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", "The text around the place");
    this.noted = element("div", "cs-noted");
    this.noted.dir = "auto";
    this.keys = element("div", "cs-keys");
    this.keys.setAttribute("role", "toolbar");
    this.keys.setAttribute("aria-label", "Judge this place");
    this.help = element("div", "cs-help");
    this.help.hidden = true;
    this.live = element("div", "cs-live");
    this.live.setAttribute("role", "status");
    this.disputes = element("div", "cs-disputes");
    this.who = element("form", "cs-who");
    this.parts = [this.bar, this.head, this.scroller, this.noted, this.keys, this.help];
    this.root.append(this.problem, this.who, ...this.parts, this.disputes, this.live);
    this.buildKeys();
    this.buildNote();
    this.buildHelp();
    this.buildName();
  }

  button(key, title, says, act, className = "cs-key") {
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
    this.judging = element("div", "cs-set");
    this.buttons = new Map();
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
    this.walking = element("div", "cs-set");
    this.placingSays = element("span", "cs-placing");
    const says = { before: "One place back", after: "One place on", set: "Set the boundary here", leave: "Leave" };
    this.walking.append(
      this.placingSays,
      this.key("before", "←", says.before, () => this.walk(-1)),
      this.key("after", "→", says.after, () => this.walk(1)),
      this.key("set", "Set here", says.set, () => this.place(), "Enter"),
      this.key("leave", "Leave", says.leave, () => this.leave(), "Esc"),
    );
    this.walking.hidden = true;
    this.keys.append(this.judging, this.walking);
  }

  key(name, title, says, act, key) {
    const made = this.button(key, title, says, act);
    if (key) made.append(element("kbd", "", key));
    made.dataset.act = name;
    return made;
  }

  buildNote() {
    this.noteForm = element("form", "cs-note");
    this.noteForm.hidden = true;
    this.note = element("input");
    this.note.type = "text";
    this.note.dir = "auto";
    this.note.setAttribute("aria-label", "Note about this place");
    this.note.placeholder = "A note about this place";
    const save = element("button", "cs-key", "Keep the note");
    save.type = "submit";
    save.append(element("kbd", "", "Enter"));
    const leave = this.button("Escape", "Leave", "Leave the note as it was", () => this.closeNote());
    leave.append(element("kbd", "", "Esc"));
    this.noteForm.append(this.note, save, leave);
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
      ["j ↓ · k ↑", "the next candidate, the one before, without judging"],
      ["?", "these keys"],
    ];
    for (const [key, says] of lines) {
      const term = element("dt");
      term.append(element("kbd", "", key));
      list.append(term, element("dd", "", says));
    }
    this.help.append(list);
  }

  buildName() {
    const label = element("label", "", "Your name, as it stands beside what you judge");
    this.name = element("input");
    this.name.type = "text";
    this.name.autocomplete = "nickname";
    this.name.dir = "auto";
    this.name.id = "cs-name";
    label.htmlFor = "cs-name";
    const begin = element("button", "cs-key cs-first", "Begin");
    begin.type = "submit";
    this.who.append(label, this.name, begin);
    this.who.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = this.name.value.trim();
      if (name) this.setTriggerValue("name", name);
    });
  }

  listen() {
    const { signal } = this.abort;
    // Before Streamlit's own keys (r runs the script again), and also where nothing has the focus.
    window.addEventListener("keydown", (event) => this.pressed(event), { capture: true, signal });
    window.addEventListener("online", () => this.send(), { signal });
    window.addEventListener(
      BUS.document,
      ({ detail }) => {
        if (detail.document === this.document && this.stored !== shared.documents.get(this.document)) this.restore();
      },
      { signal },
    );
    this.scroller.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  // ---- messages from Python

  update({ data, setStateValue, setTriggerValue }) {
    this.setStateValue = setStateValue;
    this.setTriggerValue = setTriggerValue;
    const { head, body } = unpack(data);
    applyTheme(this.root);
    this.reviewer = head.reviewer;
    const named = Boolean(head.reviewer);
    this.who.hidden = named;
    for (const part of [this.bar, this.head, this.scroller, this.keys]) part.hidden = !named;
    if (!named) return this.askName(head);
    this.remember(head.reviewer);
    const other = head.desk !== this.desk;
    if (other) this.desk = undefined; // what is shown is of the one before
    if (head.text !== this.text) {
      this.text = head.text;
      this.outbox = outboxOf(head.text);
      this.outbox.read();
    }
    this.document = head.document;
    const answered = head.problem || head.stored.some((token) => this.outbox.events.has(token));
    this.outbox.remove(head.stored);
    this.refuse(head.refused);
    this.trouble = head.problem;
    if (answered) this.sentAt = 0;
    if (other || head.content !== this.content) {
      this.content = head.content;
      this.take(body());
    }
    if (other) {
      this.desk = head.desk;
      this.leave(true);
      this.closeNote(true);
      this.open(head.at);
    } else this.recount();
    if (this.outbox.size && !this.sentAt && !this.trouble) this.send();
    this.tellSaved();
  }

  askName(head) {
    for (const part of [this.noted, this.help, this.disputes]) part.hidden = true;
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

  remember(name) {
    try {
      localStorage.setItem(KEPT_NAME, name);
    } catch {
      // As above.
    }
  }

  refuse(refused) {
    if (!refused.length) return;
    this.outbox.remove(refused.map(([token]) => token));
    this.refused = refused.map(([, why]) => why);
  }

  take(data) {
    this.data = data;
    this.disputes.hidden = false;
    this.help.hidden = !this.helpOpen;
    this.candidates = data.candidates;
    this.indexOf = new Map(Array.from(data.candidates, (offset, index) => [offset, index]));
    this.placeOf = new Map(Array.from(data.places, (offset, index) => [offset, index]));
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
    this.sentenceEnds = stored.spans.filter((_, i) => i % 2 === 1);
    if (later && this.desk !== undefined) {
      this.recount();
      this.show();
      this.showDisputes();
    }
  }

  /** Begins where this page of the browser left this desk; the first desk of a page with the candidate that the address
   * names; else with the first that is not judged. What was judged while the server was away, the address does not know
   * of. */
  open(at) {
    this.count();
    shared.desks ??= new Map(); // desk -> offset of its candidate
    const here = this.indexOf.get(shared.desks.get(this.desk));
    const asked = shared.desks.size ? undefined : this.indexOf.get(at);
    const since = asked !== undefined && this.waiting().some(({ offset }) => offset === at);
    this.current = here ?? (since ? this.nextOpen(asked) : asked) ?? this.nextOpen(-1);
    if (this.current < 0) this.current = this.candidates.length ? 0 : -1;
    this.recount();
    this.show();
    if (this.free()) this.focus();
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

  /** Events of this reviewer's own judgements that the server has not confirmed. */
  waiting() {
    const known = new Set(this.data.events.map((row) => row[0]));
    return [...this.outbox.events.values()].filter(
      (event) => !known.has(event.token) && event.reviewer === this.reviewer && !event.decides,
    );
  }

  rows() {
    const own = this.waiting().map(({ token, action, offset, target, note, undoes }) => [
      token, action, offset, target, note, undoes,
    ]);
    return [...this.data.events, ...own];
  }

  count() {
    this.state = reduced(this.rows());
  }

  /** Counts anew, and shows what has changed of it. */
  recount() {
    this.count();
    const counts = { accept: 0, reject: 0, move: 0, skip: 0 };
    let judged = 0;
    for (const offset of this.candidates) {
      const action = this.actionOn(offset);
      if (action === null) continue;
      judged++;
      counts[action]++;
    }
    this.judged = judged;
    const of = this.candidates.length;
    const shares = ["accept", "move", "reject", "skip"].map((action) => {
      const part = element("i");
      part.dataset.verdict = action;
      part.style.width = `${of ? (100 * counts[action]) / of : 0}%`;
      return part;
    });
    this.track.replaceChildren(...shares);
    this.track.setAttribute("aria-valuemax", of);
    this.track.setAttribute("aria-valuenow", judged);
    const elsewhere = [...this.state.verdicts].filter(([offset]) => !this.indexOf.has(offset));
    counts.add = elsewhere.filter(([, { action }]) => action === "add").length;
    const said = Object.entries({ ...VERDICTS, add: "added" }).filter(([action]) => counts[action]);
    const words = said.map(([action, word]) => element("span", "", `${number.format(counts[action])} ${word}`));
    const progress = `${number.format(judged)} of ${number.format(of)} judged`;
    this.track.setAttribute("aria-label", progress);
    this.counts.replaceChildren(element("b", "", progress), ...words);
    this.buttons.get("undo").disabled = !this.state.last;
    this.showHead();
    this.mark();
  }

  /** The last word on a candidate; one that was added, or that another was moved to, is accepted. */
  actionOn(offset) {
    const said = this.state.verdicts.get(offset)?.action ?? null;
    const boundary = this.state.votes.get(offset);
    if (boundary === undefined || (said === "move" && !boundary)) return said;
    return boundary ? "accept" : "reject";
  }

  /** The next candidate after `index` without a judgement, from the start again at the end; -1 for none. */
  nextOpen(index) {
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
      lot: this.data.lot,
      blind: this.data.blind,
      decides: false,
      made: (this.made = Math.max(Date.now(), (this.made ?? 0) + 1)),
      ...more,
    };
    this.outbox.add(event);
    return event;
  }

  act(name) {
    if (name === "undo") return this.undo();
    if (this.current < 0) return undefined;
    if (name === "move" || name === "add") return this.startPlacing(name);
    if (name === "note") return this.openNote();
    return this.judge(name, this.offset);
  }

  judge(action, offset, more) {
    this.make(action, offset, more);
    this.count();
    const next = this.nextOpen(this.current);
    const said = VERDICTS[action];
    if (next >= 0) this.current = next;
    this.recount();
    this.show(next >= 0 ? `${capital(said)}.` : `${capital(said)}. All are judged.`);
    this.send();
  }

  undo() {
    const { last } = this.state;
    if (!last) return this.say("There is nothing to take back.");
    const [token, action, offset] = last;
    this.make("undo", 0, { undoes: token });
    const index = this.indexOf.get(offset);
    if (index !== undefined) this.current = index;
    this.recount();
    this.show(`Taken back: ${{ note: "the note", add: "the boundary that was added" }[action] ?? VERDICTS[action]}.`);
    return this.send();
  }

  step(by) {
    const { length } = this.candidates;
    if (!length) return;
    const next = this.current + by;
    if (next < 0 || next >= length) return this.say(by > 0 ? "This is the last one." : "This is the first one.");
    this.current = next;
    this.showHead();
    this.show("");
    clearTimeout(this.placeTimer);
    this.placeTimer = setTimeout(() => this.send(), TELL_PLACE_MS);
  }

  // ---- move and add

  startPlacing(mode) {
    if (!this.data.places.length) return;
    const { places } = this.data;
    const nearest = lowerBound(places, this.offset);
    const here = places[nearest] === this.offset;
    this.placing = { mode, at: Math.min(here && mode === "add" ? nearest + 1 : nearest, places.length - 1) };
    this.judging.hidden = true;
    this.walking.hidden = false;
    this.placingSays.textContent = mode === "move" ? "Move it to:" : "Add one at:";
    this.focus();
    this.show(`${capital(mode)}: left and right walk, Enter sets it.`, true);
  }

  walk(by) {
    const at = this.placing.at + by;
    if (at < 0 || at >= this.data.places.length) return this.say("There is no place further on.");
    this.placing.at = at;
    this.show("", true);
  }

  place() {
    const { mode, at } = this.placing;
    const target = this.data.places[at];
    this.leave(true);
    if (mode === "move" && target === this.offset) return this.judge("accept", target);
    if (mode === "move") return this.judge("move", this.offset, { target });
    const proposed = this.indexOf.has(target);
    this.make(proposed ? "accept" : "add", target);
    this.recount();
    if (target === this.offset) return this.afterAdding();
    this.show("Added.");
    return this.send();
  }

  afterAdding() {
    const next = this.nextOpen(this.current);
    if (next >= 0) this.current = next;
    this.showHead();
    this.show("Accepted.");
    return this.send();
  }

  leave(silent) {
    if (!this.placing) return;
    this.placing = null;
    this.judging.hidden = false;
    this.walking.hidden = true;
    this.focus();
    if (!silent) this.show("Left as it was.");
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
    this.say(note ? "The note is kept." : "The note is removed.");
  }

  closeNote(silent) {
    if (this.noteForm.hidden) return;
    this.noteForm.hidden = true;
    this.judging.hidden = Boolean(this.placing);
    if (!silent) this.focus();
  }

  // ---- keys and pointer

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !this.reviewer || !this.data) return;
    const target = event.composedPath()[0];
    const inside = event.composedPath().includes(this.root);
    if (!inside && !this.free()) return;
    if (target instanceof HTMLInputElement) {
      if (event.key === "Escape" && target === this.note) this.handle(event, () => this.closeNote());
      else event.stopPropagation();
      return;
    }
    const act = this.meaning(event, target instanceof HTMLButtonElement && inside);
    if (act) this.handle(event, act);
  }

  handle(event, act) {
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }

  /** What a key does now; null for nothing of ours. */
  meaning({ key, repeat }, onButton) {
    if (this.placing) {
      const walks = { ArrowLeft: -1, ArrowRight: 1 };
      // Where the text runs from right to left, so do the keys.
      const turn = getComputedStyle(this.scroller.querySelector(".cs-text") ?? this.root).direction === "rtl" ? -1 : 1;
      if (key in walks) return () => this.walk(turn * walks[key]);
      if (key === "Enter" && !onButton) return () => this.place();
      if (key === "Escape") return () => this.leave();
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
  clicked(event) {
    if (!this.placing) return;
    const piece = event.target.closest?.("[data-sentence]");
    if (!piece) return;
    const box = piece.getClientRects();
    const before = event.clientY < (box[0].top + box[box.length - 1].bottom) / 2;
    const sentence = Number(piece.dataset.sentence);
    const middle = before ? this.stored.spans[2 * sentence] : this.stored.spans[2 * sentence + 1];
    const places = this.where16();
    const right = Math.min(lowerBound(places, middle), places.length - 1);
    const left = Math.max(0, right - 1);
    this.placing.at = Math.abs(places[left] - middle) < Math.abs(places[right] - middle) ? left : right;
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

  at16(offset) {
    return this.stored.utf16(Int32Array.of(offset))[0];
  }

  showHead() {
    const { length } = this.candidates;
    this.back.disabled = this.current <= 0;
    this.forth.disabled = this.current >= length - 1;
    if (this.current < 0) {
      this.where.textContent = "There is nothing to judge here.";
      this.verdict.textContent = this.why.textContent = "";
      this.noted.hidden = true;
      return;
    }
    this.where.textContent = `${number.format(this.current + 1)} of ${number.format(length)}`;
    const action = this.actionOn(this.offset);
    this.root.dataset.verdict = action ?? "";
    this.verdict.textContent = action ? VERDICTS[action] : "not judged";
    for (const [name, made] of this.buttons) made.setAttribute("aria-pressed", String(name === action));
    for (const name of ["undo", "note", "add"]) this.buttons.get(name).removeAttribute("aria-pressed");
    const note = this.state.notes.get(this.offset) ?? "";
    this.noted.hidden = !note;
    this.noted.textContent = visible(note);
    this.showWhy();
  }

  showWhy() {
    const why = this.data.why[this.current] ?? "";
    const driver = this.data.driver[this.current] ?? "";
    this.why.dataset.driver = driver;
    this.why.textContent = this.data.blind ? "judged blind" : visible(why);
    if (driver && !this.data.blind) this.why.prepend(element("i", "", `${this.data.glyphs[driver]} `));
  }

  /** The text around the place that is judged or, while one is set, around that. */
  show(said, near) {
    if (this.current >= 0) shared.desks.set(this.desk, this.offset);
    if (!this.stored) return;
    if (this.current < 0) return this.scroller.replaceChildren();
    const shown = this.placing ? this.data.places[this.placing.at] : this.offset;
    const focus = this.at16(shown);
    const old = near && this.window && focus > this.window[0] + 200 && focus < this.window[1] - 200;
    const [from, to] = old ? this.window : this.around(focus);
    const top = this.scroller.scrollTop;
    this.window = [from, to];
    this.draw(from, to);
    const mark = this.scroller.querySelector(".cs-here") ?? this.scroller.querySelector(".cs-mark");
    if (old) this.scroller.scrollTop = top;
    if (mark) this.bring(mark, Boolean(old));
    if (said !== undefined) this.say([said, this.spoken(focus)].filter(Boolean).join(" "));
  }

  /** Whole sentences before and after a place, as much as there is room for. */
  around(focus) {
    const { spans, sentences, text } = this.stored;
    const ends = this.sentenceEnds;
    const first = Math.min(lowerBound(ends, Math.max(0, focus - AROUND)), sentences - 1);
    const last = Math.min(lowerBound(ends, Math.min(text.length, focus + AROUND)), sentences - 1);
    const from = first <= 0 ? 0 : spans[2 * first];
    const to = last >= sentences - 1 ? text.length : spans[2 * last + 1];
    return [Math.max(from, focus - LONGEST), Math.min(to, focus + LONGEST)];
  }

  /** Draws a stretch of the text, divided at the place that is judged and at the one that is being set. */
  draw(from, to) {
    const marks = new Map();
    marks.set(this.at16(this.offset), this.divider("cs-mark", this.says()));
    if (this.placing) {
      const at = this.where16()[this.placing.at];
      marks.set(at, this.divider("cs-here", this.placing.mode === "move" ? "move it here" : "add one here"));
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

  /** What stands at the place that is judged. */
  says() {
    if (!this.placing) return "a boundary here?";
    return this.placing.mode === "move" ? "from here" : "";
  }

  divider(className, words) {
    const made = element("div", className);
    made.append(element("span", "", words));
    made.setAttribute("role", "separator");
    if (words) made.setAttribute("aria-label", words);
    return made;
  }

  /** The text between two offsets, a span a sentence; blank lines at its edges would only be a hole. */
  stretch(from, to) {
    const { text, spans, kinds, kindNames, sentences } = this.stored;
    const box = element("div", "cs-text");
    box.dir = "auto";
    const slice = text.slice(from, to);
    let at = from + /^(?:[^\S\n\r]*[\n\r])*/.exec(slice)[0].length;
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
      piece.dataset.sentence = sentence;
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

  bring(mark, gently) {
    const box = mark.getBoundingClientRect();
    const view = this.scroller.getBoundingClientRect();
    if (gently && box.top > view.top + 60 && box.bottom < view.bottom - 60) return;
    this.scroller.scrollTop += box.top - view.top - view.height * 0.45;
  }

  spoken(focus) {
    const before = tail(this.stored.text.slice(Math.max(0, focus - 160), focus), 80);
    const after = clip(this.stored.text.slice(focus, focus + 160), 80);
    const place = this.placing ? "" : `${this.where.textContent}, ${this.verdict.textContent}. `;
    return `${place}Before: ${before} — After: ${after}`;
  }

  say(words) {
    this.live.textContent = words;
  }

  // ---- disputes

  showDisputes() {
    const { disputes } = this.data;
    if (!disputes.length) return this.disputes.replaceChildren();
    const open = disputes.filter((each) => !each.decided);
    const settled = disputes.filter((each) => each.decided);
    const parts = [element("h4", "", open.length ? `${number.format(open.length)} to decide` : "Nothing to decide")];
    if (open.length) parts.push(this.disputed(open));
    if (settled.length) {
      const box = element("details");
      box.open = Boolean(this.disputes.querySelector("details")?.open);
      box.append(element("summary", "", `${number.format(settled.length)} settled`), this.disputed(settled));
      parts.push(box);
    }
    return this.disputes.replaceChildren(...parts);
  }

  disputed(rows) {
    const box = element("div", "cs-rows");
    box.append(...rows.map((each) => this.dispute(each)));
    return box;
  }

  dispute({ offset, choices, votes, decided }) {
    const row = element("div", "cs-dispute");
    row.dataset.offset = offset;
    if (this.stored) row.append(this.excerpt(this.at16(offset)));
    for (const { reviewer, says, note } of votes) {
      const vote = element("div", "cs-vote");
      vote.append(element("b", "", visible(reviewer)), element("span", "", says));
      if (note) vote.append(element("q", "", visible(note)));
      row.append(vote);
    }
    const line = element("div", "cs-set");
    for (const [title, action, place] of choices) {
      const made = this.button("", title, `${title}: decide it for all`, () => this.decide(row, line, action, place));
      line.append(made);
    }
    line.append(element("span", "cs-decided", decided));
    row.append(line);
    return row;
  }

  decide(row, line, action, offset) {
    this.make(action, offset, { decides: true });
    line.querySelector(".cs-decided").textContent = action === "accept" ? "decided: a boundary" : "decided: none";
    this.say(line.querySelector(".cs-decided").textContent);
    this.send();
  }

  excerpt(at) {
    const { text } = this.stored;
    const box = element("div", "cs-excerpt");
    box.dir = "auto";
    const mark = element("i", "", "┃");
    mark.setAttribute("aria-label", "the place");
    box.append(`…${tail(text.slice(Math.max(0, at - 160), at), 90)}`, mark, clip(text.slice(at, at + 160), 90));
    return box;
  }

  // ---- sending

  /** Sends all that the server has not confirmed, and where the reviewer is. */
  send() {
    clearTimeout(this.placeTimer);
    clearTimeout(this.again);
    this.sentAt = performance.now();
    this.attempt = (this.attempt ?? 0) + 1;
    this.setStateValue("sent", {
      document: this.text,
      events: this.outbox.batch(),
      at: this.current < 0 ? null : this.offset,
      attempt: this.attempt,
    });
    this.tellSaved();
  }

  tellSaved() {
    const waiting = this.outbox.size;
    clearTimeout(this.again);
    if (waiting) this.again = setTimeout(() => this.sendAgain(), SEND_AGAIN_MS);
    const late = Boolean(waiting && (this.trouble || this.late));
    this.root.dataset.saved = waiting ? (late ? "late" : "soon") : "all";
    const kept = this.outbox.kept ? "kept in this browser until then" : "keep this page open";
    this.saved.textContent = !waiting
      ? "✓ all saved"
      : late
        ? `${number.format(waiting)} not saved yet, ${kept}`
        : `saving ${number.format(waiting)}…`;
    if (!waiting) this.late = false;
    const elsewhere = waitingElsewhere(this.text);
    if (elsewhere) this.saved.textContent += ` · ${number.format(elsewhere)} wait for their own documents to be opened`;
    this.tellProblem();
  }

  sendAgain() {
    this.late = true;
    this.send();
  }

  tellProblem() {
    const [problem, remedy] = this.trouble ?? (this.refused ? [`Not taken: ${this.refused[0]}`, ""] : ["", ""]);
    const said = `${problem} ${remedy}`.trim();
    this.problem.hidden = !said;
    if (said === this.problemSaid) return;
    this.problemSaid = said;
    this.problem.replaceChildren(element("span", "", said ? `⚠ ${said}` : ""));
    if (this.trouble) this.problem.append(this.button("", "Try again", "Try to save again", () => this.send()));
  }

  destroy() {
    this.abort.abort();
    clearTimeout(this.again);
    clearTimeout(this.placeTimer);
    this.root.remove();
  }
}

/** The end of a text on one line. */
function tail(text, length) {
  return [...visible(text).replace(/\s+/g, " ").trim()].slice(-length).join("");
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

export default mounted(ReviewDesk);
