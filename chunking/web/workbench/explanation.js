// A gap in numbers: everything that its decision was made of, and what would change it.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Curves, Table } from "./segmentation.js" */
import { fixed, number, signed } from "../engine/numbers.js";
import { amountFlip } from "./flips.js";
import { sortedOf } from "./sorted.js";

const SMALLEST = 5e-4; // of a contribution that is shown

/**
 * What would change the decision of the threshold, in a sentence.
 *
 * @param {[number, number][]} bands @param {number | null} flip @param {Setting} setting @param {boolean} isAbove
 */
export function flipWords(bands, flip, { alpha, amount, rule }, isAbove) {
  const percent = (/** @type {number} */ value) => `${fixed(100 * value, 0)}%`;
  const edges = bands.flat().filter((edge) => edge > 0 && edge < 1);
  const lower = Math.max(...edges.filter((edge) => edge <= alpha), -1);
  const upper = Math.min(...edges.filter((edge) => edge > alpha), 2);
  /** @type {string[]} */ const parts = [];
  if (upper <= 1) parts.push(`with ${percent(upper)} meaning or more`);
  if (lower >= 0) parts.push(`with ${percent(lower)} meaning or less`);
  if (flip !== null && rule === "percentile") {
    const strongest = `${Number((100 - flip).toFixed(1))}%`;
    if (isAbove && flip < 99.95) parts.push(`if only the strongest ${strongest} are cut`);
    if (!isAbove) parts.push(`if the strongest ${strongest} are cut`);
  } else if (flip !== null) parts.push(`with a threshold ${isAbove ? "from" : "below"} ${fixed(flip, 2)} (now ${Number(amount.toFixed(2))})`);
  if (!parts.length) return isAbove ? "Nothing: it is above the cut line at every setting." : "Nothing: it stays below the cut line.";
  return `It ${isAbove ? "is no longer above" : "rises above"} the cut line ${parts.join(", or ")}.`;
}

/**
 * The numbers of a decision with their names.
 *
 * @param {Picture} picture @param {Curves} curves @param {Setting} setting @param {number} gap
 * @returns {[string, string][]}
 */
export function numberRows({ model, alpha }, curves, setting, gap) {
  const { semantic, structural, fused, score, threshold } = curves;
  /** @type {[string, string][]} */ const rows = [["Meaning (semantic distance)", fixed(semantic[gap], 3)]];
  if (structural) {
    const sum = `${plain(alpha)} · ${fixed(semantic[gap], 3)} + ${plain(1 - alpha)} · ${fixed(structural[gap], 3)}`;
    rows.push([`Layout (structural distance, raw ${fixed(model.curves?.raw?.[gap] ?? 0, 3)})`, fixed(structural[gap], 3)]);
    rows.push([`Together: ${sum}`, fixed(fused[gap], 3)]);
  }
  if (setting.rule === "gradient") rows.push(["Slope", fixed(score[gap], 3)]);
  rows.push([setting.rule === "penalty" ? "Boundary penalty" : "Cut line (threshold)", fixed(threshold, 3)]);
  rows.push(["Margin", signed(score[gap] - threshold, 3)]);
  const sorted = sortedOf(score);
  let higher = 0;
  for (let index = sorted.length - 1; index >= 0 && sorted[index] > score[gap]; index--) higher++;
  rows.push(["Rank", `${number.format(higher + 1)} of ${number.format(score.length)}`]);
  const flip = amountFlip(score, setting, gap);
  if (flip !== null) rows.push(["Cut below", `${fixed(flip, 2)} (now ${plain(setting.amount)})`]);
  rows.push(["Gap", number.format(gap + 1)]);
  return rows;
}

/**
 * What each measurement adds to a distance, the largest first: its name, value, weight and contribution.
 *
 * @param {Table} table @param {number} gap @param {number} distance
 */
export function contributionRows(table, gap, distance) {
  const shares = table.titles
    .map((name, index) => ({ name, value: table.values[index]?.[gap] ?? 0, factor: table.factors[index], weight: table.weights[index] }))
    .map((entry) => ({ ...entry, share: entry.value * entry.factor }))
    .filter(({ share }) => Math.abs(share) >= SMALLEST)
    .sort((one, other) => Math.abs(other.share) - Math.abs(one.share));
  const rest = distance - shares.reduce((sum, { share }) => sum + share, 0);
  const rows = shares.map(({ name, value, weight, share }) => [name, fixed(value, 2), fixed(weight, 4), signed(share, 3)]);
  return Math.abs(rest) > SMALLEST ? [...rows, ["Baseline, and clipping", "", "", signed(rest, 3)]] : rows;
}

/** As few decimals as it has. @param {number} value */
function plain(value) {
  return String(Number(value.toPrecision(6)));
}
