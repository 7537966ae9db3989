// Numbers: searching sorted ones, and writing them.

/** First index whose value is not below `value`; `sorted` ascends. */
export function lowerBound(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const number = new Intl.NumberFormat("en");

/** A count with its noun: "1 token", "2,000 tokens". */
export function plural(count, noun, nouns = `${noun}s`) {
  return `${number.format(count)} ${count === 1 ? noun : nouns}`;
}
