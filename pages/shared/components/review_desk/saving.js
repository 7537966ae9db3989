// Sends judgements until the server confirms that they are stored, and says how that stands.

/** @import { Outbox } from "./outbox.js" */
/** @import { ReviewEvent } from "./events.js" */
/** @import { Press } from "./toolbar.js" */
import { element } from "../base/dom.js";
import { number } from "../../../../chunking/web/engine/numbers.js";
import { waitingElsewhere } from "./outbox.js";

const SEND_AGAIN_MS = 4000;

export class Saving {
  /** @type {Outbox | undefined} */ outbox;
  /** @type {string[] | null} */ trouble = null; // why nothing can be stored now: the problem and its remedy
  /** @type {string[]} */ refused = []; // why events were not stored
  root = element("span", "cs-saved");
  problem = element("div", "cs-problem");
  document = "";
  problemShown = "";
  underway = false;
  late = false;
  attempt = 0;
  timer = 0;

  /** @param {Press} press @param {(batch: ReviewEvent[], attempt: number) => void} deliver */
  constructor(press, deliver) {
    this.press = press;
    this.deliver = deliver;
    this.problem.setAttribute("role", "alert");
    this.problem.hidden = true;
  }

  /** @param {string} document hash of its text @param {Outbox} outbox */
  open(document, outbox) {
    this.document = document;
    this.outbox = outbox;
    outbox.read();
  }

  /**
   * Takes what the server says of the events that it got.
   *
   * @param {string[]} stored tokens
   * @param {[string, string][]} refused tokens and reasons
   * @param {string[] | null} trouble
   */
  answer(stored, refused, trouble) {
    if (trouble !== null || stored.some((token) => this.outbox?.events.has(token))) this.underway = false;
    this.outbox?.remove([...stored, ...refused.map(([token]) => token)]);
    if (refused.length) this.refused = refused.map(([, why]) => why);
    this.trouble = trouble;
  }

  /** Sends what waits, unless it is on its way or cannot be stored now. */
  sendWaiting() {
    if (this.outbox?.size && !this.underway && !this.trouble) this.send();
    this.tell();
  }

  /** Sends all that the server has not confirmed. */
  send() {
    if (!this.outbox) return;
    clearTimeout(this.timer);
    this.underway = true;
    this.attempt += 1;
    this.deliver(this.outbox.batch(), this.attempt);
    this.tell();
  }

  sendAgain() {
    this.late = true;
    this.send();
  }

  /** Says how many events wait, and sends them again after a while. */
  tell() {
    if (!this.outbox) return;
    const waiting = this.outbox.size;
    clearTimeout(this.timer);
    if (waiting) this.timer = window.setTimeout(() => this.sendAgain(), SEND_AGAIN_MS);
    else this.late = false;
    const late = this.late || (waiting > 0 && this.trouble !== null);
    this.root.dataset.saved = waiting ? (late ? "late" : "soon") : "all";
    const until = this.outbox.kept ? "kept in this browser until then" : "keep this page open";
    this.root.textContent = !waiting
      ? "✓ All saved"
      : late
        ? `${number.format(waiting)} not saved yet, ${until}`
        : `Saving ${number.format(waiting)}…`;
    const elsewhere = waitingElsewhere(this.document);
    if (elsewhere) this.root.textContent += ` · ${number.format(elsewhere)} of other documents, saved when these are opened`;
    this.tellProblem();
  }

  tellProblem() {
    const [problem, remedy] = this.trouble ?? (this.refused.length ? [`Not stored: ${this.refused[0]}`, ""] : ["", ""]);
    const message = `${problem} ${remedy}`.trim();
    this.problem.hidden = !message;
    if (message === this.problemShown) return;
    this.problemShown = message;
    this.problem.replaceChildren(element("span", "", message ? `⚠ ${message}` : ""));
    if (this.trouble) this.problem.append(this.press("Try again", "Try to save again", () => this.send()));
  }

  destroy() {
    clearTimeout(this.timer);
  }
}
