// A text whose gaps are picked: click between two sentences, or walk with the arrow keys and press Space.

/** @import { Component } from "../base/dom.js" */
/** @import { GapPickerBody } from "../messages.js" */
import { BUS, announce, listen } from "../base/bus.js";
import { applyTheme, button, closest, element, mounted } from "../base/dom.js";
import { clipEnd, visible } from "../../../../chunking/web/base/text.js";
import { unpack } from "../base/wire.js";
import { tintsOf } from "../../../../chunking/web/workbench/picture.js";
import { chunkOfEach, filledIn, lengthsOfChunks, steppedGap, toggledGaps } from "./steps.js";

const REST_MS = 250; // a reader who picks several gaps is not waited for after each

class GapPicker {
  /** @type {Component} */ component;
  /** @type {GapPickerBody} */ given;
  /** @type {number[]} */ picked = [];
  /** @type {HTMLButtonElement[]} */ gaps = [];
  /** What the engine cuts while a control of the chart is moved. @type {readonly number[] | null} */ previewed = null;
  topic = "";
  revision = NaN;
  content = "";
  open = true;
  at = 0;
  timer = 0;
  abort = new AbortController();
  root = element("div", "cs-picker wb-tints");
  text = element("div", "cs-picker-text");
  /** The chunks that the picked gaps make. */
  strip = element("div", "cs-picker-strip");
  /** @type {HTMLElement[]} */ pieces = [];
  count = element("span", "cs-picker-count");
  send = button("cs-picker-send");
  foot = element("div", "cs-picker-foot");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.text.setAttribute("role", "group");
    this.count.setAttribute("aria-live", "polite");
    this.foot.append(this.send, this.count);
    this.strip.setAttribute("aria-hidden", "true"); // the count says it
    this.root.append(this.text, this.strip, this.foot);
    parent.append(this.root);
    const options = { signal: this.abort.signal };
    this.text.addEventListener("click", (event) => this.clicked(event), options);
    this.text.addEventListener("keydown", (event) => this.pressed(event), options);
    this.text.addEventListener("pointerover", (event) => this.hovered(this.gapOf(event.target)), options);
    this.text.addEventListener("pointerleave", () => this.hovered(null), options);
    this.send.addEventListener("click", () => this.report(true), options);
    listen(BUS.hover, this, this.abort.signal, ({ gap }) => this.light(gap));
    window.addEventListener(BUS.preview, (event) => this.follow(/** @type {CustomEvent} */ (event).detail.gaps), options);
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = unpack(component.data);
    applyTheme(this.root);
    // The button to the next chapter is at the end of a long page.
    if (head.chapter && !this.topic) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    // An odd revision has what this browser held of an earlier visit, which may come when the reader has begun to pick.
    const isAnother = head.document !== this.topic || head.revision >> 1 !== this.revision >> 1;
    const other = isAnother || head.revision !== this.revision;
    if (!other && head.content === this.content && head.open === this.open) return;
    this.topic = head.document;
    this.revision = head.revision;
    this.content = head.content;
    this.open = head.open;
    this.given = body();
    this.previewed = null;
    if (isAnother || (other && !this.picked.length)) {
      this.stopWaiting();
      this.picked = [...this.given.picked];
      this.at = 0;
    } else if (other) this.reportSoon();
    this.draw();
  }

  // ---- what is seen

  draw() {
    const { pieces, breaks, words } = this.given;
    this.text.setAttribute("aria-label", words.text);
    this.gaps = [];
    this.pieces = [];
    /** @type {Node[]} */ const parts = [];
    pieces.forEach((piece, number) => {
      const shown = element("span", "cs-picker-piece", visible(piece));
      shown.dir = "auto";
      parts.push(shown);
      this.pieces.push(shown);
      if (number === pieces.length - 1) return;
      parts.push(this.gapButton(number, pieces));
      if (breaks[number]) parts.push(element("span", "cs-picker-break"));
    });
    this.text.replaceChildren(...parts);
    this.text.classList.toggle("cs-open", this.open);
    this.send.textContent = words.send;
    this.foot.hidden = !this.open;
    this.strip.hidden = !this.open || !this.given.offsets.length;
    this.paint();
  }

  /** @param {number} gap @param {readonly string[]} pieces */
  gapButton(gap, pieces) {
    const words = { gap: gap + 1, gaps: pieces.length - 1, words: clipEnd(pieces[gap], 40) };
    const made = button("cs-picker-gap", "", filledIn(this.given.words.gap, words));
    made.dataset.gap = String(gap);
    this.gaps.push(made);
    return made;
  }

  paint() {
    const { gold, votes, words } = this.given;
    const engine = this.previewed ?? this.given.engine;
    const most = votes.reduce((largest, count) => Math.max(largest, count), 1);
    this.gaps.forEach((made, gap) => {
      const marks = this.open ? [] : [
        ...(gold.includes(gap) ? [["gold", words.gold]] : []),
        ...(engine.includes(gap) ? [["engine", words.engine]] : []),
        ...(this.picked.includes(gap) ? [["own", words.own]] : []),
      ];
      made.classList.toggle("cs-picked", this.open && this.picked.includes(gap));
      made.classList.toggle("cs-marked", marks.length > 0);
      made.setAttribute("aria-pressed", String(this.picked.includes(gap)));
      made.tabIndex = gap === this.at ? 0 : -1;
      made.replaceChildren(...marks.map(([role, title]) => element("span", `cs-mark cs-mark-${role}`, title)));
      if (!this.open && votes[gap]) made.append(this.votesBar(votes[gap], most));
    });
    const hasChunks = this.given.offsets.length > 0;
    if (hasChunks) this.tint(this.open ? this.picked : [...engine]);
    const { length } = this.picked;
    this.count.textContent = filledIn(hasChunks ? words.chunks : words.count, { count: length, chunks: length + 1 });
  }

  /** Colours the chunks in the text, and in the strip while gaps are picked. @param {readonly number[]} cuts */
  tint(cuts) {
    const { offsets, pieces } = this.given;
    const chunkOf = chunkOfEach(cuts, pieces.length);
    const tints = tintsOf([0, ...cuts.map((gap) => offsets[gap])].map((start) => ({ start })));
    this.pieces.forEach((shown, number) => (shown.dataset.tint = String(tints[chunkOf[number]])));
    this.gaps.forEach((made, gap) => (made.dataset.tint = cuts.includes(gap) ? "" : String(tints[chunkOf[gap]])));
    if (!this.open) return;
    const lengths = lengthsOfChunks(chunkOf, pieces);
    this.strip.replaceChildren(...lengths.map((length, chunk) => {
      const part = element("span", "", String(chunk + 1));
      part.style.flexGrow = String(length);
      part.dataset.tint = String(tints[chunk]);
      return part;
    })); // prettier-ignore
  }

  /** How many readers picked a gap. @param {number} votes @param {number} most */
  votesBar(votes, most) {
    const bar = element("span", "cs-votes", String(votes));
    bar.style.setProperty("--share", String(votes / most));
    return bar;
  }

  /** Marks the gap that the pointer has found elsewhere. @param {number | null} gap */
  light(gap) {
    this.gaps.forEach((made, number) => made.classList.toggle("cs-lit", number === gap));
  }

  /** Marks what the engine would cut. @param {readonly number[] | null} cuts */
  follow(cuts) {
    if (this.open || (!cuts && !this.previewed)) return;
    this.previewed = cuts;
    this.paint();
  }

  // ---- what the reader does

  /** @param {EventTarget | null} target */
  gapOf(target) {
    const gap = closest(target, ".cs-picker-gap")?.dataset.gap;
    return gap === undefined ? null : Number(gap);
  }

  /** @param {Event} event */
  clicked(event) {
    const gap = this.gapOf(event.target);
    if (gap === null) return;
    this.at = gap;
    if (this.open) {
      this.picked = toggledGaps(this.picked, gap);
      this.reportSoon();
    }
    this.paint();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const to = steppedGap(event.key, this.at, this.gaps.length);
    if (to === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.at = to;
    this.paint();
    this.gaps[to].focus();
    this.hovered(to);
  }

  /** @param {number | null} gap */
  hovered(gap) {
    announce(BUS.hover, { document: this.topic, gap, source: this });
  }

  reportSoon() {
    this.stopWaiting();
    this.timer = window.setTimeout(() => this.report(false), REST_MS);
  }

  stopWaiting() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  /** @param {boolean} final */
  report(final) {
    this.stopWaiting();
    const report = { document: this.topic, revision: this.revision, gaps: this.picked, final };
    this.component.setStateValue("picked", report);
  }

  destroy() {
    if (this.timer) this.report(false);
    this.abort.abort();
    this.root.remove();
  }
}

export default mounted(GapPicker);
