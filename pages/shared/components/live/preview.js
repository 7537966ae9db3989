// The setting that the controls show while Python's picture is still that of another.

/** @import { Live, LiveSetting } from "../messages.js" */
/** @import { Cuts, Source } from "../../../../chunking/web/engine/cuts.js" */
import { number, plural } from "../base/numbers.js";
import { followControls } from "./controls.js";
import { cutsOf } from "../../../../chunking/web/engine/cuts.js";
import { admissible } from "../../../../chunking/web/engine/limits.js";
import { sourceOf } from "./sources.js";

export const PREVIEWED = "chunkscope:previewed"; // with the setting that is drawn and what it cuts
export const PREVIEW_OVER = "chunkscope:preview-over"; // Python's picture is shown again
const EXPIRY_MS = 1500; // after the last movement: Python has refused the setting, or made nothing new of it

/**
 * A chart that can draw a setting before Python has.
 *
 * @typedef {object} Following
 * @property {HTMLElement} root
 * @property {boolean} drawn
 * @property {Live | null} followed what it follows now; null for nothing
 * @property {(cuts: Cuts, source: Source, setting: LiveSetting) => void} drawPreview
 * @property {() => void} endPreview shows Python's picture again
 */

export class Preview {
  /** What the controls show while it is another setting than Python's. @type {LiveSetting | null} */ setting = null;
  subject = "";
  frame = 0;
  timer = 0;
  pressed = false;
  held = false; // a preview that lasts while something is pointed at

  /** @param {Following} chart @param {AbortSignal} signal */
  constructor(chart, signal) {
    this.chart = chart;
    this.follower = followControls(() => chart.followed?.controls ?? {}, (name, value) => this.moved({ [name]: value }), signal);
    const options = { signal, capture: true };
    window.addEventListener("pointerdown", () => (this.pressed = true), options);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => (this.pressed = false), options);
    signal.addEventListener("abort", () => this.forget());
  }

  /** Controls show other numbers, or would. @param {Partial<LiveSetting>} values */
  moved(values) {
    const { followed, drawn } = this.chart;
    if (!followed || !drawn) return;
    this.subject = followed.subject;
    this.setting = { ...(this.setting ?? followed.setting), ...values };
    if (isSame(this.setting, followed.setting)) return this.end();
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
    this.expireLater();
  }

  /** Draws the setting over Python's picture; also after the chart has drawn that anew. */
  draw() {
    const { chart, setting } = this;
    const source = chart.followed && sourceOf(chart.followed.source);
    if (!setting || !source) return;
    const used = admissible(setting);
    if (!chart.followed?.lenient && !isSame(used, setting)) return this.hide();
    chart.root.classList.add("cs-previewing");
    const cuts = cutsOf(source, used);
    chart.drawPreview(cuts, source, used);
    this.report(PREVIEWED, { setting: used, cuts });
  }

  /** Python has answered: its picture takes the place of ours, unless a control has moved on meanwhile. */
  answered() {
    const { followed } = this.chart;
    this.follower.refresh();
    const over = !followed || followed.subject !== this.subject || (this.setting && isSame(this.setting, followed.setting));
    if (over) this.forget();
  }

  end() {
    this.forget();
    this.hide();
  }

  hide() {
    this.chart.root.classList.remove("cs-previewing");
    this.chart.endPreview();
    this.report(PREVIEW_OVER, null);
  }

  /** @param {string} event @param {unknown} detail */
  report(event, detail) {
    this.chart.root.dispatchEvent(new CustomEvent(event, { bubbles: true, composed: true, detail }));
  }

  forget() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.setting = null;
  }

  /** A setting that Python refuses changes no message, so nothing would end its preview. */
  expireLater() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      if (this.pressed || this.held || isRunning() || isTyping()) this.expireLater();
      else this.end();
    }, EXPIRY_MS);
  }
}

/** Whether the script of the page is running. */
function isRunning() {
  const app = /** @type {HTMLElement | null} */ (document.querySelector("[data-testid=stApp]"));
  return app?.dataset.testScriptState !== "notRunning";
}

/** Whether a number is typed that has not been sent: Streamlit then says how to. */
function isTyping() {
  return document.activeElement?.closest("[data-testid=stNumberInput]")?.querySelector("[data-testid=InputInstructions]")?.textContent;
}

/** @param {LiveSetting} one @param {LiveSetting} other */
function isSame(one, other) {
  const names = /** @type {(keyof LiveSetting)[]} */ (Object.keys(other));
  return names.every((name) => one[name] === other[name]);
}

/** What a setting changes, in words; gaps ascend. @param {ArrayLike<number>} before @param {ArrayLike<number>} now */
export function changeOf(before, now) {
  let both = 0;
  for (let one = 0, other = 0; other < now.length; other++) {
    while (before[one] < now[other]) one++;
    if (before[one] === now[other]) both++;
  }
  return changeWords(now.length, { added: now.length - both, removed: before.length - both });
}

/** @param {number} count of boundaries @param {Record<string, number>} changed how many, by what happened to them */
export function changeWords(count, changed) {
  const parts = Object.entries(changed).filter(([, many]) => many);
  return [plural(count, "boundary", "boundaries"), ...parts.map(([what, many]) => `${number.format(many)} ${what}`)].join(" · ");
}
