// Why a gap is cut or not: both sentences, every number of the decision, and what each feature adds.

/** @import { KnownCurves, Lane, Segmentation, Table } from "./lane.js" */
/** @import { Setting } from "../../web/engine/cuts.js" */
/** @import { SourceText } from "./text.js" */
import { number } from "../../web/engine/numbers.js";
import { fixed, signed } from "./numbers.js";
import { escaped } from "./text.js";

const SMALLEST = 5e-4; // of a share that is shown
const VERDICTS = { cut: "cut", merged: "merged (size limits)", forced: "split (max size)", none: "not cut" };
const BY = /** @type {Record<string, string>} */ ({ semantic: " · by meaning", structural: " · by structure", both: " · by both" });

const CLOSE = '<button type="button" data-close aria-label="Close">×</button>';

/** What is shown. @typedef {{lane: Lane, text: SourceText, found: Segmentation, setting: Setting | null, glyphs: Record<string, string>}} Shown */

/** @param {Shown} shown @param {number} gap */
export function panelHtml(shown, gap) {
  const { lane, text, found } = shown;
  const { curves } = found;
  if (!curves || !lane.curves) return "";
  return [
    verdictHtml(shown, gap),
    sideHtml(text.sentence(gap)),
    '<div class="place"></div>',
    sideHtml(text.sentence(gap + 1)),
    barHtml(shown, gap),
    factsHtml(shown, gap),
    tableHtml("Feature", lane.curves.features, gap, structuralRow(lane.curves, gap), "structural"),
    tableHtml("Meaning", lane.curves.scales, gap, ["Semantic distance", curves.semantic[gap]], "semantic"),
  ].join("");
}

/** @param {Shown} shown @param {number} gap */
function verdictHtml({ found, glyphs }, gap) {
  const chunk = found.chunks.find((each) => each.gap === gap);
  const exceeds = found.exceeding.has(gap);
  const verdict = chunk ? (exceeds ? "cut" : "forced") : exceeds ? "merged" : "none";
  const driver = chunk?.driver ?? "";
  const words = `${VERDICTS[verdict]}${verdict === "cut" ? (BY[driver] ?? "") : ""}`;
  const glyph = driver ? `${glyphs[driver]} ` : "";
  return `<h3>Gap ${number.format(gap + 1)} <span class="tag ${driver}">${glyph}${words}</span>${CLOSE}</h3>`;
}

/** @param {string} sentence */
function sideHtml(sentence) {
  return `<blockquote dir="auto" tabindex="0">${escaped(sentence)}</blockquote>`;
}

/** The score as a bar from 0, with the threshold as a mark. @param {Shown} shown @param {number} gap */
function barHtml({ found: { curves }, lane, setting }, gap) {
  if (!curves || setting?.rule === "gradient") return "";
  const top = Math.max(largestOf(curves.score), curves.threshold, 1e-9);
  const alpha = lane.curves?.structural ? (setting?.alpha ?? 1) : 1;
  const share = (/** @type {number} */ value) => (100 * Math.max(value, 0)) / top;
  const meaning = share(alpha * curves.semantic[gap]);
  const form = share((1 - alpha) * (curves.structural?.[gap] ?? 0));
  return (
    `<div class="bar"><i class="semantic" style="width:${meaning.toFixed(2)}%"></i>` +
    `<i class="structural" style="left:${meaning.toFixed(2)}%;width:${form.toFixed(2)}%"></i>` +
    `<u style="left:${share(curves.threshold).toFixed(2)}%"></u></div>`
  );
}

/** @param {Shown} shown @param {number} gap */
function factsHtml({ found: { curves }, lane, setting }, gap) {
  if (!curves) return "";
  const [score, { threshold }] = [curves.score[gap], curves];
  /** @type {[string, string][]} */ const rows = [["Semantic", fixed(curves.semantic[gap], 3)]];
  if (curves.structural) {
    const alpha = setting?.alpha ?? 1;
    const sum = `${plain(alpha)} · ${fixed(curves.semantic[gap], 3)} + ${plain(1 - alpha)} · ${fixed(curves.structural[gap], 3)}`;
    rows.push(["Structural", fixed(curves.structural[gap], 3)], ["Fused", `${sum} = <b>${fixed(curves.fused[gap], 3)}</b>`]);
  }
  const against = `${fixed(score, 3)} ${score > threshold ? "&gt;" : "≤"} ${fixed(threshold, 3)}`;
  rows.push([setting?.rule === "gradient" ? "Slope" : "Score", `${against}, margin <b>${signed(score - threshold, 3)}</b>`]);
  rows.push(["Rank", `${number.format(1 + countWhere(curves.score, (each) => each > score))} of ${number.format(curves.score.length)}`]);
  const flip = setting && flipAmount(setting, curves.score, gap);
  if (flip !== null) rows.push(["Percentile", `cut below ${fixed(flip, 2)} <span class="quiet">(now ${plain(setting?.amount ?? 0)})</span>`]);
  const chance = lane.curves?.probabilities?.[gap];
  if (chance !== undefined) rows.push(["Probability", `${fixed(100 * chance, 0)} %`]);
  return `<dl>${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join("")}</dl>`;
}

/** As few decimals as it has. @param {number} value */
function plain(value) {
  return String(Number(value.toPrecision(6)));
}

/** @param {ArrayLike<number>} values */
function largestOf(values) {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  return most;
}

/** @param {ArrayLike<number>} values @param {(value: number) => boolean} holds */
function countWhere(values, holds) {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (holds(values[i])) count++;
  return count;
}

/** The percentile below which a gap is cut; null where none decides. @param {Setting} setting @param {ArrayLike<number>} score @param {number} gap */
export function flipAmount({ rule }, score, gap) {
  if ((rule !== "percentile" && rule !== "gradient") || score.length < 2) return null;
  return (100 * countWhere(score, (each) => each < score[gap])) / (score.length - 1);
}

/** @param {KnownCurves} curves @param {number} gap @returns {[string, number]} */
function structuralRow({ structural, raw }, gap) {
  return [`Structural distance <span class="quiet">(raw ${fixed(raw?.[gap] ?? 0, 3)})</span>`, structural?.[gap] ?? 0];
}

/** What each measurement adds, the largest first. @param {string} head @param {Table | null} table @param {number} gap @param {[string, number]} total @param {string} role */
function tableHtml(head, table, gap, [title, distance], role) {
  if (!table) return "";
  const shares = table.titles
    .map((name, at) => ({ name, value: table.values[at]?.[gap] ?? 0, weight: table.weights[at], factor: table.factors[at] }))
    .map((each) => ({ ...each, share: each.value * each.factor }))
    .filter(({ share }) => Math.abs(share) >= SMALLEST)
    .sort((one, other) => Math.abs(other.share) - Math.abs(one.share));
  const largest = Math.max(...shares.map(({ share }) => Math.abs(share)), SMALLEST);
  const rest = distance - shares.reduce((sum, { share }) => sum + share, 0);
  const rows = shares.map(({ name, value, weight, share }) => {
    const width = ((100 * Math.abs(share)) / largest).toFixed(1);
    const bar = `<td class="share"><i class="${share < 0 ? "minus" : role}" style="width:${width}%"></i></td>`;
    return `<tr><td>${escaped(name)}</td><td>${fixed(value, 2)}</td><td>${fixed(weight, 4)}</td><td>${fixed(share, 3)}</td>${bar}</tr>`;
  });
  const other = Math.abs(rest) > SMALLEST ? `<tr><td>Baseline, and clipping</td><td></td><td></td><td>${fixed(rest, 3)}</td><td></td></tr>` : "";
  return (
    `<table><thead><tr><th>${head}</th><th>Value</th><th>Weight</th><th>Contribution</th><th></th></tr></thead><tbody>` +
    `${rows.join("")}${other}<tr class="sum"><td>${title}</td><td></td><td></td><td>${fixed(distance, 3)}</td><td></td></tr></tbody></table>`
  );
}
