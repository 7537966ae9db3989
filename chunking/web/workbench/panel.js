// Why a gap is cut or not, what would change that, and every number of the decision.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Columns } from "./page_painter.js" */
/** @import { HandEditing } from "./hand_editing.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Curves, Table } from "./segmentation.js" */
import { button, element, setWords } from "../base/dom.js";
import { clip, clipEnd, visible } from "../base/text.js";
import { fixed, number } from "../engine/numbers.js";
import { cleared } from "./canvas.js";
import { contributionRows, flipWords, numberRows } from "./explanation.js";
import { alphaBands, amountFlip } from "./flips.js";
import { FONT, shareOfMeaning } from "./page_painter.js";
import { BY_BOTH, BY_HAND, BY_LAYOUT, BY_LIMIT, BY_MEANING } from "./segmentation.js";
import { certaintyWords, reasonAt, verdictAt } from "./words.js";

const LONGEST = 320; // characters of a sentence

/** What is known of a gap at a setting that is not computed here: terms with words. @typedef {{setting: Setting | null, gap: number, rows: [string, string][]}} Facts */

/** @typedef {{onStep: (step: 1 | -1) => void, onClose: () => void}} PanelEvents */

/** The panel. Its places are fixed; each is written only when its words change. */
export class Panel {
  /** @param {HTMLElement} aside @param {PanelEvents} events @param {HandEditing | null} hand @param {HTMLElement | null} without what is shown where no gap is chosen */
  constructor(aside, events, hand, without = null) {
    this.aside = aside;
    this.hand = hand;
    this.actions = element("div", "wb-hand");
    this.actions.hidden = true;
    this.confirmed = element("p", "wb-confirmed");
    this.confirmed.hidden = true;
    this.actionsAt = "";
    this.title = element("span");
    this.tag = element("span", "wb-tag");
    this.left = element("blockquote");
    this.right = element("blockquote");
    for (const quote of [this.left, this.right]) quote.dir = "auto";
    this.cut = element("div", "wb-cut-words");
    this.bar = element("canvas", "wb-panel-bar");
    this.bar.setAttribute("aria-hidden", "true");
    this.question = element("h3");
    this.change = element("h3", "", "What would change that");
    this.sure = element("h3", "", "How sure");
    this.reason = element("p");
    this.flips = element("p");
    this.alphaBand = new BandRow("What decides");
    this.amountBand = new BandRow("How many cuts");
    this.legend = element("p", "wb-legend", "coloured: cut here · mark: now");
    this.certainty = element("p");
    this.details = element("details");
    this.table = element("div");
    this.others = element("h3", "", "Who cuts here");
    this.voters = element("p");
    this.empty = without ?? element("p", "wb-hint", "Choose any place in the text: its bar shows how strongly the text breaks there. The keys j and k go to the next gap and the one before, n and p to the next cut.");
    this.earlier = element("p", "wb-earlier");
    /** What the decision of a gap was before the text was edited, where it was another. @type {Map<number, string>} */ this.decidedBefore = new Map();
    this.body = element("div");
    this.build(events);
    /** @type {Facts | null} */ this.facts = null;
    /** @type {Picture | null} */ this.picture = null;
    this.gap = -1;
  }

  /** @param {PanelEvents} events */
  build({ onStep, onClose }) {
    const heading = element("h2");
    const steps = element("span", "wb-steps");
    const before = button("wb-button", "↑", "Previous cut");
    const after = button("wb-button", "↓", "Next cut");
    const close = button("wb-button wb-close", "×", "Close");
    before.addEventListener("click", () => onStep(-1));
    after.addEventListener("click", () => onStep(1));
    close.addEventListener("click", onClose);
    steps.append(before, after, close);
    heading.append(this.title, steps);
    this.details.append(element("summary", "", "All numbers"), this.table);
    this.details.addEventListener("toggle", () => this.showTable());
    const bands = element("div", "wb-bands");
    bands.append(this.alphaBand.row, this.amountBand.row, this.legend);
    this.body.append(
      heading, this.tag, this.left, this.cut, this.right, this.actions, this.confirmed, this.earlier, this.bar, this.others, this.voters, this.question, this.reason, this.change,
      this.flips, bands, this.sure, this.certainty, this.details,
    ); // prettier-ignore
    this.aside.append(this.empty, this.body);
  }

  /**
   * @param {Picture} picture
   * @param {number} gap −1 for none
   * @param {Columns} columns
   * @param {Palette} palette
   * @param {string} voters which strategies of a comparison cut there, in words; empty where there is one
   */
  show(picture, gap, columns, palette, voters = "") {
    this.picture = picture;
    this.gap = gap;
    this.empty.hidden = gap >= 0;
    this.body.hidden = gap < 0;
    if (gap < 0) return;
    this.others.hidden = this.voters.hidden = !voters;
    setWords(this.voters, voters);
    const { source, curves, setting } = picture;
    const isCut = picture.isCut(gap);
    const status = picture.status[gap];
    const color = colorOf(status);
    const chunk = picture.chunkAt(source.offsets[gap]);
    setWords(this.title, isCut ? `Start of chunk ${number.format(chunk + 1)}` : `Inside chunk ${number.format(chunk + 1)}`);
    setWords(this.tag, verdictAt(picture, gap));
    const wordColor = status === BY_LAYOUT ? "var(--wb-layout-word)" : color;
    paint(this.tag, wordColor);
    setWords(this.left, shortEnd(source.sentence(gap)));
    setWords(this.right, shortStart(source.sentence(gap + 1)));
    setWords(this.cut, isCut ? "cut here" : "no cut");
    this.cut.classList.toggle("wb-no-cut", !isCut);
    const earlier = this.decidedBefore.get(gap) ?? "";
    this.earlier.hidden = !earlier;
    setWords(this.earlier, earlier && `Before the edit: ${earlier}`);
    paint(this.cut, wordColor);
    this.showActions(gap, isCut);
    for (const part of [this.bar, this.question, this.reason, this.change, this.flips, this.sure, this.certainty, this.details]) part.hidden = !curves;
    this.alphaBand.row.hidden = this.amountBand.row.hidden = this.legend.hidden = true;
    if (!curves || !setting) return this.showReasonAlone(picture, chunk, isCut);
    setWords(this.question, isCut ? "Why it is cut" : "Why it is not cut");
    setWords(this.reason, reasonAt(picture, gap));
    this.showFlips(curves, setting, gap, color);
    setWords(this.certainty, certaintyWords(picture.model.curves?.probabilities?.[gap]));
    this.drawBar(picture, gap, columns, palette);
    this.showTable();
  }

  /** What can be done by hand; the buttons stay while they are the same, so that the one with the focus keeps it. @param {number} gap @param {boolean} isCut */
  showActions(gap, isCut) {
    const { hand } = this;
    if (!hand) return;
    const confirmed = hand.confirmedAt(gap);
    this.confirmed.hidden = !confirmed;
    setWords(this.confirmed, confirmed);
    const key = `${gap} ${isCut} ${hand.actionAt(gap)}`;
    if (key === this.actionsAt) return;
    this.actionsAt = key;
    this.actions.replaceChildren(
      ...hand.actionsAt(gap).map(({ words, title, act }) => {
        const made = button("wb-button", words, title);
        made.addEventListener("click", act);
        return made;
      }),
    );
    this.actions.hidden = !this.actions.childElementCount;
  }

  /** What a strategy without curves says of a cut. @param {Picture} picture @param {number} chunk @param {boolean} isCut */
  showReasonAlone({ chunks }, chunk, isCut) {
    this.question.hidden = this.reason.hidden = !isCut;
    setWords(this.question, "Why it is cut");
    setWords(this.reason, [chunks[chunk].why, ...chunks[chunk].notes].join(" · "));
  }

  /** @param {Curves} curves @param {Setting} setting @param {number} gap @param {string} color */
  showFlips(curves, setting, gap, color) {
    if (setting.rule === "penalty") return this.showDivisions(gap, setting);
    this.change.hidden = this.flips.hidden = false;
    const isAbove = curves.score[gap] > curves.threshold;
    const bands = alphaBands(curves, setting, gap);
    const flip = amountFlip(curves.score, setting, gap);
    setWords(this.flips, flipWords(bands, flip, setting, isAbove));
    if (curves.structural) this.alphaBand.show(bands, setting.alpha, 0, 1, color);
    const isShare = setting.rule === "percentile";
    if (flip !== null && isShare) this.amountBand.show(flip > 50 ? [[50, flip]] : [], setting.amount, 50, 100, color);
    this.legend.hidden = this.alphaBand.row.hidden && this.amountBand.row.hidden;
  }

  /** What would change a division at change points, which takes other divisions to know. @param {number} gap @param {Setting} setting */
  showDivisions(gap, setting) {
    const rows = this.factsOf(gap, setting).filter(([term]) => term === "Number of boundaries" || term === "Decision flips at");
    this.change.hidden = this.flips.hidden = !rows.length;
    setWords(this.flips, rows.map(([term, words]) => `${term}: ${words}.`).join(" "));
  }

  /** @param {number} gap @param {Setting} setting */
  factsOf(gap, setting) {
    const { facts } = this;
    const isOfNow = facts && facts.gap === gap && JSON.stringify(facts.setting) === JSON.stringify(setting);
    return facts && isOfNow ? facts.rows : [];
  }

  /** The excess over the average as a bar, with the cut line. @param {Picture} picture @param {number} gap @param {Columns} columns @param {Palette} palette */
  drawBar(picture, gap, { rem }, palette) {
    const { clientWidth: width, clientHeight: height } = this.bar;
    if (!width) return;
    const context = cleared(this.bar, width, height);
    const { meaning, layout, total } = picture.excessOf(gap);
    const scale = (width - 2) / (1.08 * picture.averages.top);
    const [top, thick] = [1.35 * rem, 1.1 * rem];
    const length = Math.min(Math.max(total, 0) * scale, width - 2);
    const share = shareOfMeaning(meaning, layout);
    context.fillStyle = palette.soft;
    context.fillRect(0, top, width, thick);
    context.fillStyle = palette.meaning;
    context.fillRect(1, top, length * share, thick);
    context.fillStyle = palette.layout;
    context.fillRect(1 + length * share, top, length * (1 - share), thick);
    context.font = `${0.8125 * rem}px ${FONT}`;
    const under = top + thick + rem;
    context.fillStyle = palette.muted;
    context.textAlign = "left";
    if (total <= 0) context.fillText("less than the average of this document", 0.6 * rem, top + 0.78 * rem);
    else {
      context.fillStyle = palette.meaning;
      if (share > 0.02) context.fillText(`● meaning ${fixed(100 * share, 0)}%`, 1, under);
      context.fillStyle = palette.layoutWord;
      if (share < 0.98) context.fillText(`◆ layout ${fixed(100 * (1 - share), 0)}%`, share > 0.02 ? 1 + 6.9 * rem : 1, under);
    }
    if (picture.hasCutLine) this.drawCutLine(picture, total, context, scale, width, rem, palette);
  }

  /** @param {Picture} picture @param {number} total @param {CanvasRenderingContext2D} context @param {number} scale @param {number} width @param {number} rem @param {Palette} palette */
  drawCutLine({ cutLine, averages }, total, context, scale, width, rem, palette) {
    const x = 1 + Math.min(Math.max(cutLine, 0), 1.08 * averages.top) * scale;
    const [top, thick] = [1.35 * rem, 1.1 * rem];
    context.fillStyle = palette.surface;
    context.fillRect(x - 2.5, top - 5, 5, thick + 10);
    context.fillStyle = palette.threshold;
    context.fillRect(x - 1.25, top - 5, 2.5, thick + 10);
    context.font = `600 ${0.8125 * rem}px ${FONT}`;
    context.textAlign = x > 0.75 * width ? "right" : x < 0.2 * width ? "left" : "center";
    context.fillText("cut line", x, top - 0.55 * rem);
    if (total <= 0 || cutLine <= 0 || width < 18.5 * rem) return;
    context.font = `${0.8125 * rem}px ${FONT}`;
    context.fillStyle = palette.muted;
    context.textAlign = "right";
    const words = total > cutLine ? `${fixed(total / cutLine, 1)}× the cut line` : `${fixed((100 * total) / cutLine, 0)}% of the cut line`;
    context.fillText(words, width, top + thick + rem);
  }

  showTable() {
    const { picture, gap } = this;
    if (!this.details.open || !picture || gap < 0 || !picture.curves || !picture.setting) return;
    const rows = [...numberRows(picture, picture.curves, picture.setting, gap), ...this.factsOf(gap, picture.setting)];
    this.table.replaceChildren(numbersTable(rows), ...featureTables(picture, gap));
  }
}

/** A slider in small: where the gap is cut, and where the slider is. */
class BandRow {
  /** @param {string} title */
  constructor(title) {
    this.row = element("div", "wb-band");
    this.track = element("span", "wb-band-track");
    this.bands = element("span");
    this.now = element("u");
    this.track.append(this.bands, this.now);
    this.row.append(element("span", "", title), this.track);
    this.drawn = "";
  }

  /** @param {[number, number][]} bands @param {number} now @param {number} low @param {number} high @param {string} color */
  show(bands, now, low, high, color) {
    const place = (/** @type {number} */ value) => (100 * (Math.min(Math.max(value, low), high) - low)) / (high - low);
    const key = `${color} ${bands.map(([from, to]) => `${place(from).toFixed(2)} ${place(to).toFixed(2)}`).join()}`;
    if (key !== this.drawn) {
      this.drawn = key;
      this.bands.replaceChildren(
        ...bands.map(([from, to]) => {
          const band = element("i");
          band.style.left = `${place(from).toFixed(2)}%`;
          band.style.width = `${Math.max(place(to) - place(from), 0.5).toFixed(2)}%`;
          band.style.background = color;
          return band;
        }),
      );
    }
    this.now.style.left = `${place(now).toFixed(2)}%`;
    this.row.hidden = false;
  }
}

/** The colour of a status as the style sheet has it, so that it is never that of another theme. @param {number} status */
function colorOf(status) {
  const role = { [BY_MEANING]: "meaning", [BY_LAYOUT]: "layout", [BY_BOTH]: "both", [BY_LIMIT]: "limit", [BY_HAND]: "hand" }[status] ?? "muted";
  return `var(--wb-${role})`;
}

/** @param {HTMLElement} target @param {string} color */
function paint(target, color) {
  if (target.dataset.color !== color) {
    target.dataset.color = color;
    target.style.color = color;
  }
}

/** @param {string} sentence */
const shortStart = (sentence) => clip(visible(sentence), LONGEST);
/** @param {string} sentence */
const shortEnd = (sentence) => clipEnd(visible(sentence), LONGEST);

/** @param {[string, string][]} rows */
function numbersTable(rows) {
  const table = element("table");
  for (const [term, value] of rows) {
    const row = table.insertRow();
    row.append(element("th", "", term), element("td", "", value));
  }
  return table;
}

/** @param {Picture} picture @param {number} gap */
function featureTables({ model, curves }, gap) {
  if (!curves) return [];
  return [
    featureTable("Layout", model.curves?.features ?? null, gap, ["Structural distance", curves.structural?.[gap] ?? 0]),
    featureTable("Meaning", model.curves?.scales ?? null, gap, ["Semantic distance", curves.semantic[gap]]),
  ].filter((table) => table !== null);
}

/** What each measurement adds. @param {string} head @param {Table | null} table @param {number} gap @param {[string, number]} total */
function featureTable(head, table, gap, [title, distance]) {
  if (!table) return null;
  const made = element("table", "wb-features");
  const heads = made.createTHead().insertRow();
  for (const words of [head, "Value", "Weight", "Contribution"]) heads.append(element("th", "", words));
  const body = made.createTBody();
  for (const cells of contributionRows(table, gap, distance)) {
    body.insertRow().append(...cells.map((words, index) => element(index ? "td" : "th", "", words)));
  }
  const sum = body.insertRow();
  sum.className = "wb-sum";
  sum.append(element("th", "", title), element("td"), element("td"), element("td", "", fixed(distance, 3)));
  return made;
}
