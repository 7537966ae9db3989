// The verdict: how many chunks there are, how large they are, what does not fit, and what the last move did.

/** @import { Comparison } from "./comparison.js" */
/** @import { EncoderLimit } from "./encoder_limit.js" */
/** @import { Picture } from "./picture.js" */
import { button, element, setWords } from "../base/dom.js";
import { fixed, number, plural } from "../engine/numbers.js";
import { changesBetween } from "./picture.js";
import { CUT, GLYPHS } from "./words.js";

/** What the present setting is compared with, and the words after a number of cuts, and in place of one. @typedef {{picture: Picture, since: string, same: string}} Reference */

const MOST_NAMED = 2; // lanes that agree most with people
const HINT = "Move a slider: text, cuts and counts follow.";

export class Verdict {
  /** @param {HTMLElement} header @param {{onFit: () => void, onUnlimited: () => void}} does @param {boolean} isComparison */
  constructor(header, { onFit, onUnlimited }, isComparison) {
    this.words = element("h2");
    this.words.dataset.verdict = "";
    this.count = element("b");
    this.sizes = element("span");
    this.warning = element("span", "wb-warning");
    this.fit = button("wb-button", "Make them fit");
    this.fit.title = "Sets the largest maximum at which the encoder reads every chunk to its end";
    this.fit.addEventListener("click", onFit);
    this.unlimited = button("wb-button", "Without limits");
    this.unlimited.title = "Shows the cuts that the text asks for: no minimum and no maximum";
    this.unlimited.addEventListener("click", onUnlimited);
    this.words.append(this.count, this.sizes, this.warning, this.fit, this.unlimited);
    this.change = element("div", "wb-change");
    this.added = element("span", "wb-added");
    this.removed = element("span", "wb-removed");
    this.since = element("span");
    this.byHand = element("span", "wb-by-hand");
    this.byHand.title = "The edits by hand are listed below the text. The key u takes the last one back.";
    this.change.append(this.byHand, this.added, this.removed, this.since);
    this.overview = element("div", "wb-overview");
    this.ways = element("b");
    this.best = element("span");
    this.overview.append(this.ways, this.best);
    if (isComparison) header.append(this.overview);
    header.append(this.words, this.change);
  }

  /** What the lanes are, and which of them agrees most with people. @param {Comparison} comparison @param {string[]} titles */
  showComparison({ lanes, best }, titles) {
    setWords(this.ways, plural(lanes.length, "way"));
    const most = best && (best.lanes.length > MOST_NAMED ? [`${best.lanes.length} of them`] : best.lanes.map((lane) => titles[lane]));
    const agree = best && best.lanes.length > 1 ? "agree" : "agrees";
    const isChoice = lanes.length > 1 && best && most;
    setWords(this.best, ` to cut this text. ${isChoice ? `${most.join(" and ")} ${agree} most with people (${fixed(best.score, 2)}).` : ""}`);
    this.overview.title = best ? "Agreement is F1: the harmonic mean of precision and recall of the boundaries" : "";
  }

  /**
   * @param {Picture} picture
   * @param {Reference} reference
   * @param {EncoderLimit | null} limit
   * @param {boolean} isPhone
   * @param {Iterable<string>} edits what was decided by hand
   */
  show(picture, reference, limit, isPhone, edits) {
    setWords(this.byHand, editsInWords([...edits]));
    this.byHand.hidden = !this.byHand.textContent;
    const { chunks, unreadFrom } = picture;
    setWords(this.count, plural(chunks.length, "chunk"));
    setWords(this.sizes, sizesInWords(chunks.map(({ tokens }) => tokens)));
    const unread = unreadFrom.size;
    const long = `${number.format(unread)} ${unread === 1 ? "is" : "are"} longer than the encoder reads`;
    setWords(this.warning, !unread ? "" : isPhone ? `${number.format(unread)} too long for the encoder` : long);
    this.warning.hidden = !unread;
    if (limit) this.warning.title = `${limit.encoder} reads ${number.format(limit.maximum)} tokens of a chunk with its heading path; the rest of a longer one is not found by a search by meaning.`;
    const isFixed = isPhone || !picture.model.places || picture.model.steps.length > 0;
    this.fit.hidden = !unread || isFixed;
    this.unlimited.hidden = isFixed || !picture.isLimited;
    this.showChange(picture, reference);
  }

  /** @param {Picture} picture @param {Reference} reference */
  showChange(picture, { picture: before, since, same }) {
    const { added, removed } = changesBetween(picture, before.segmentation);
    setWords(this.added, added ? `+${plural(added, "cut")}` : "");
    setWords(this.removed, removed ? `−${plural(removed, "cut")}` : "");
    const isSame = picture.setting === before.setting || JSON.stringify(picture.setting) === JSON.stringify(before.setting);
    const hint = isSame && !same.includes("pinned") ? HINT : same;
    setWords(this.since, added || removed ? since : picture.model.controls.length ? hint : "");
    this.since.classList.toggle("wb-hint", !(added || removed));
  }

  /** The verdict as it is spoken. */
  get spoken() {
    return [this.words, this.change].map(({ innerText }) => innerText).join(" ").replace(/\s+/g, " ").trim();
  }
}

/** @param {string[]} edits */
function editsInWords(edits) {
  const cuts = edits.filter((action) => action === CUT).length;
  const joins = edits.length - cuts;
  const words = [cuts ? plural(cuts, "cut") : "", joins ? plural(joins, "join") : ""].filter(Boolean);
  return words.length ? `${GLYPHS.hand} ${words.join(", ")} by hand` : "";
}

/** The sizes of chunks, after their number. @param {number[]} tokens of the chunks */
export function sizesInWords(tokens) {
  if (!tokens.length) return ".";
  const sorted = Int32Array.from(tokens).sort();
  const [least, most] = [sorted[0], sorted[sorted.length - 1]].map((value) => number.format(value));
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : Number(fixed((sorted[middle - 1] + sorted[middle]) / 2, 0));
  return `, ${least === most ? least : `${least}–${most}`} tokens (median ${number.format(median)}). `;
}

