// The fused distance and the threshold rules, number for number as chunking.curves computes them in Python.
//
// The formula stays true there alone. This copy draws what a slider passes over while it is dragged, and a test holds it
// against Python over random documents, for every rule. NumPy's order of summation is therefore kept.

const DIGITS = 1e12;
const EXACT = 2 ** 52; // adding and taking it away rounds to whole numbers, halves to even, as numpy.rint does
const BLOCK = 128; // numbers that NumPy sums with eight running sums

/** @param {number} value to 12 decimals */
function roundedTo12(value) {
  const scaled = value * DIGITS;
  const whole = scaled < 0 ? -(-scaled + EXACT - EXACT) : scaled + EXACT - EXACT;
  return whole / DIGITS;
}

/**
 * alpha · semantic + (1 − alpha) · structural.
 *
 * @param {Float64Array} semantic
 * @param {Float64Array | null} structural null where structure plays no part
 * @param {number} alpha
 */
export function fuse(semantic, structural, alpha) {
  if (!structural) return semantic;
  const fused = new Float64Array(semantic.length);
  const rest = 1 - alpha;
  for (let i = 0; i < fused.length; i++) fused[i] = roundedTo12(alpha * semantic[i] + rest * structural[i]);
  return fused;
}

/** The slope by central differences, as numpy.gradient. @param {Float64Array} values */
export function gradient(values) {
  const { length } = values;
  const slope = new Float64Array(length);
  if (length < 2) return slope;
  slope[0] = roundedTo12(values[1] - values[0]);
  slope[length - 1] = roundedTo12(values[length - 1] - values[length - 2]);
  for (let i = 1; i < length - 1; i++) slope[i] = roundedTo12((values[i + 1] - values[i - 1]) / 2);
  return slope;
}

/**
 * The value that a score must exceed; NaN without gaps.
 *
 * @param {string} rule
 * @param {number} amount
 * @param {Float64Array} score
 */
export function threshold(rule, amount, score) {
  if (!score.length) return NaN;
  if (rule === "percentile" || rule === "gradient") return percentile(score.toSorted(), amount);
  return mean(score) + amount * (rule === "standard_deviation" ? deviation(score) : quartiles(score));
}

/** @param {Float64Array} score */
function quartiles(score) {
  const sorted = score.toSorted();
  return percentile(sorted, 75) - percentile(sorted, 25);
}

/** Linear interpolation between ordered values, from the nearer one. @param {Float64Array} sorted @param {number} amount */
function percentile(sorted, amount) {
  const last = sorted.length - 1;
  const at = (amount / 100) * last;
  if (at >= last) return sorted[last];
  const below = Math.floor(at);
  const share = at - below;
  const difference = sorted[below + 1] - sorted[below];
  return share >= 0.5 ? sorted[below + 1] - difference * (1 - share) : sorted[below] + difference * share;
}

/** @param {Float64Array} values */
export function mean(values) {
  return sum(values, 0, values.length) / values.length;
}

/** @param {Float64Array} values */
function deviation(values) {
  const middle = mean(values);
  const squares = values.map((value) => (value - middle) * (value - middle));
  return Math.sqrt(sum(squares, 0, squares.length) / squares.length);
}

/** NumPy's pairwise sum. @param {Float64Array} values @param {number} start @param {number} count @returns {number} */
function sum(values, start, count) {
  if (count < 8) {
    let total = 0;
    for (let i = 0; i < count; i++) total += values[start + i];
    return total;
  }
  if (count > BLOCK) {
    const half = Math.floor(count / 2);
    const first = half - (half % 8);
    return sum(values, start, first) + sum(values, start + first, count - first);
  }
  const running = values.slice(start, start + 8);
  let i = 8;
  for (; i < count - (count % 8); i += 8) for (let k = 0; k < 8; k++) running[k] += values[start + i + k];
  const [a, b, c, d, e, f, g, h] = running;
  let total = a + b + (c + d) + (e + f + (g + h));
  for (; i < count; i++) total += values[start + i];
  return total;
}
