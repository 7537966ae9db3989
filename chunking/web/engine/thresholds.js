// The fused distance and the threshold rules, number for number as chunking.signals computes them in Python.
//
// The formula stays true there alone. This copy draws what a slider passes over while it is dragged, and a test holds it
// against Python over random documents, for every rule. NumPy's order of summation is therefore kept.

const DIGITS = 1e12;
const EXACT = 2 ** 52; // adding and taking it away rounds to whole numbers, halves to even, as numpy.rint does
const BLOCK = 128; // numbers that NumPy sums with eight running sums
const RUNNING = new Float64Array(8);
const BINS = 4096; // among which values are counted to find those at a place in their order

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
  if (rule === "percentile" || rule === "gradient") return percentile(score, amount);
  return mean(score) + amount * (rule === "standard_deviation" ? deviation(score) : quartiles(score));
}

/** @param {Float64Array} score */
function quartiles(score) {
  return percentile(score, 75) - percentile(score, 25);
}

/** Linear interpolation between values in their order, from the nearer one. @param {Float64Array} values @param {number} amount */
function percentile(values, amount) {
  const last = values.length - 1;
  const at = Math.min(last, (amount / 100) * last);
  const place = Math.floor(at);
  const [below, above] = orderedPair(values, place);
  const share = at - place;
  const difference = above - below;
  return share >= 0.5 ? above - difference * (1 - share) : below + difference * share;
}

/**
 * The values at a place in ascending order and at the next; only those between the two bins of a histogram that hold them
 * are sorted. The last value is its own next.
 *
 * @param {Float64Array} values at least one
 * @param {number} place from 0
 */
export function orderedPair(values, place) {
  const [lowest, spread] = extent(values);
  if (!spread) return [lowest, lowest];
  const binOf = (/** @type {number} */ value) => Math.floor(((value - lowest) / spread) * (BINS - 1));
  const counts = new Uint32Array(BINS);
  for (let i = 0; i < values.length; i++) counts[binOf(values[i])]++;
  const next = Math.min(place + 1, values.length - 1);
  let first = 0;
  let before = 0; // values in lower bins
  while (before + counts[first] <= place) before += counts[first++];
  let last = first;
  for (let upTo = before + counts[first]; upTo <= next; upTo += counts[last]) last++;
  const near = values.filter((value) => binOf(value) >= first && binOf(value) <= last).sort();
  return [near[place - before], near[next - before]];
}

/** The lowest value, and how far the highest is above it. @param {Float64Array} values */
function extent(values) {
  let lowest = values[0];
  let highest = values[0];
  for (let i = 1; i < values.length; i++) {
    if (values[i] < lowest) lowest = values[i];
    else if (values[i] > highest) highest = values[i];
  }
  return [lowest, highest - lowest];
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
  for (let k = 0; k < 8; k++) RUNNING[k] = values[start + k];
  let i = 8;
  for (; i < count - (count % 8); i += 8) for (let k = 0; k < 8; k++) RUNNING[k] += values[start + i + k];
  const [a, b, c, d, e, f, g, h] = RUNNING;
  let total = a + b + (c + d) + (e + f + (g + h));
  for (; i < count; i++) total += values[start + i];
  return total;
}
