// What the workbench says: names of reasons, and sentences about a gap.

/** @import { Picture } from "./picture.js" */
import { BY_BOTH, BY_HAND, BY_LAYOUT, BY_LIMIT, BY_MEANING, BY_STRATEGY, KEPT, MERGED } from "./segmentation.js";
import { fixed } from "../engine/numbers.js";

/** For each feature of the layout: a word beside its cut, and a sentence. @type {Record<string, [string, string]>} */
const FEATURES = {
  heading: ["heading", "A heading follows."],
  paragraph: ["new paragraph", "A new paragraph begins."],
  spacing: ["space", "There is extra space here."],
  font_step: ["larger type", "The size of the type changes."],
  list_edge: ["list ends", "A list ends here."],
  table_edge: ["table edge", "A table begins or ends here."],
  code_edge: ["code edge", "Code begins or ends here."],
  quote_edge: ["quote edge", "A quotation begins or ends here."],
  indentation: ["indentation", "The indentation ends."],
  numbering: ["numbered part", "A numbered part begins."],
  speaker: ["new speaker", "Another person speaks."],
  page_break: ["page break", "A page ends here."],
  after_heading: ["after a heading", "A heading precedes."],
  inset: ["list or table", "A list, a table or code begins."],
  together: ["same block", "Both sides belong to one list or table."],
  shared_words: ["new words", "The two sides share few words."],
  shared_words_3: ["new words", "The two sides share few words."],
  shared_words_6: ["new words", "The two sides share few words."],
  new_words: ["new words", "New words come in."],
  left_length: ["long sentence", "A long sentence precedes."],
  next_length: ["long sentence", "A long sentence follows."],
  introduced: ["introduced", "The sentence before introduces what follows."],
  introduced_before: ["introduced", "An introduction precedes."],
  connective: ["new start", "No linking word joins the two sides."],
  marker: ["new item", "What follows opens with a marker."],
  markup: ["markup", "Markup follows."],
  after_markup: ["markup", "Markup precedes."],
  list_item: ["list item", "A list item begins."],
  list_goes_on: ["list item", "The list continues."],
  container: ["container", "Another container begins."],
  symbols: ["symbols", "The share of symbols changes."],
  digits: ["digits", "The share of digits changes."],
  capitals: ["capitals", "Words in capitals follow."],
  lines: ["lines", "The number of lines changes."],
  short_right: ["short line", "A short line follows."],
  short_left: ["short line", "A short line precedes."],
};
const JOINED = "what was joined by hand"; // as chunking.chunks.constraints has it
const BASELINE = "neutral"; // a feature that every gap has

/** @typedef {"semantic" | "structural" | "both" | "limit" | "hand"} Driver */

/** What is decided of a gap by hand. */
export const CUT = "cut";
export const JOIN = "join";

export const GLYPHS = /** @type {Record<string, string>} */ ({ semantic: "●", structural: "◆", both: "■", limit: "▲", hand: "✎" });

/** Names of features that can be shown. */
export const FEATURE_NAMES = [...Object.keys(FEATURES), BASELINE];

/** The feature of the layout that adds most to a gap; undefined where none speaks for a cut. @param {Picture} picture @param {number} gap */
function strongestFeature({ model }, gap) {
  const table = model.curves?.features;
  if (!table) return undefined;
  let strongest;
  let most = 1e-3;
  for (let index = 0; index < table.names.length; index++) {
    const share = (table.values[index]?.[gap] ?? 0) * table.factors[index];
    if (share > most && table.names[index] !== BASELINE) [strongest, most] = [table.names[index], share];
  }
  return strongest;
}

/** The word beside the bar of a gap; empty where it is not cut. @param {Picture} picture @param {number} gap */
export function wordAt(picture, gap) {
  const layout = FEATURES[strongestFeature(picture, gap) ?? ""]?.[0] ?? "layout";
  switch (picture.status[gap]) {
    case BY_MEANING:
      return `${GLYPHS.semantic} ${picture.curves?.structural ? "new topic" : "distance"}`;
    case BY_LAYOUT:
      return `${GLYPHS.structural} ${layout}`;
    case BY_BOTH:
      return `${GLYPHS.both} ${layout} + topic`;
    case BY_LIMIT:
      return `${GLYPHS.limit} size limit`;
    case BY_HAND:
      return `${GLYPHS.hand} by hand`;
    case MERGED:
      return "too short, joined";
    case KEPT:
      return isJoined(picture, gap) ? `${GLYPHS.hand} joined by hand` : "kept together";
    default:
      return "";
  }
}

/** The heading, the tag and the question of the panel. @param {Picture} picture @param {number} gap */
export function verdictAt(picture, gap) {
  switch (picture.status[gap]) {
    case BY_MEANING:
      return `${GLYPHS.semantic} Cut · meaning`;
    case BY_LAYOUT:
      return `${GLYPHS.structural} Cut · layout`;
    case BY_BOTH:
      return `${GLYPHS.both} Cut · meaning + layout`;
    case BY_LIMIT:
      return `${GLYPHS.limit} Cut · size limit`;
    case BY_HAND:
      return `${GLYPHS.hand} Cut · by hand`;
    case BY_STRATEGY:
      return "Cut";
    case MERGED:
      return "Joined: too short";
    case KEPT:
      return isJoined(picture, gap) ? `${GLYPHS.hand} Not cut: joined by hand` : "Not cut: kept together";
    default:
      return "Not cut";
  }
}

/** Whether a gap is not cut because somebody joined its sides. @param {Picture} picture @param {number} gap */
const isJoined = ({ segmentation }, gap) => segmentation.kept.get(gap) === JOINED;

/** Whether a gap is cut by hand, or its sides are joined, where the strategy would do otherwise. @param {Picture} picture @param {number} gap */
export function isByHand(picture, gap) {
  return picture.status[gap] === BY_HAND || (picture.status[gap] === KEPT && isJoined(picture, gap));
}

/** Why a gap is cut or not, in one or two sentences. @param {Picture} picture @param {number} gap */
export function reasonAt(picture, gap) {
  const status = picture.status[gap];
  if (status === BY_LIMIT) {
    const { parts } = picture.chunks[picture.chunkAt(picture.source.offsets[gap])];
    return `The chunk would be longer than the maximum.${parts ? ` This parts ${parts}: no other place fits.` : ""}`;
  }
  if (status === BY_HAND) return `You cut here; the strategy would not. ${standing(picture, gap)}`;
  if (status === KEPT && isJoined(picture, gap)) return `You joined the two sides; the strategy would cut here. ${standing(picture, gap)}`;
  if (status === KEPT) return `It is above the cut line, but would part ${picture.segmentation.kept.get(gap)}.`;
  if (status === MERGED) return "It is above the cut line, but a chunk would be shorter than the minimum.";
  return standing(picture, gap);
}

/** How meaning and layout speak for a cut. @param {Picture} picture @param {number} gap */
function standing(picture, gap) {
  const { curves, averages } = picture;
  if (!curves) return "";
  const meaning = meaningWords(curves.semantic[gap] - averages.meaning);
  if (!curves.structural) return meaning;
  const layout = layoutWords(curves.structural[gap] - averages.layout, strongestFeature(picture, gap));
  const excess = picture.excessOf(gap);
  return excess.meaning > excess.layout ? `${meaning} ${layout}` : `${layout} ${meaning}`;
}

const CLEARLY = 0.07; // above the average distance
const SLIGHTLY = 0.02;

/** @param {number} excess */
function meaningWords(excess) {
  if (excess > CLEARLY) return "The topic changes clearly.";
  if (excess > SLIGHTLY) return "The topic changes a little.";
  return excess < -SLIGHTLY ? "The topic continues." : "The topic hardly changes.";
}

/** @param {number} excess @param {string | undefined} feature */
function layoutWords(excess, feature) {
  if (excess > SLIGHTLY) return FEATURES[feature ?? ""]?.[1] ?? "The layout changes.";
  return excess < -SLIGHTLY ? "The layout keeps these together." : "The layout says little.";
}

/** How likely a boundary is. @param {number | undefined} probability */
export function certaintyWords(probability) {
  if (probability === undefined) return "There is no estimate for this encoder.";
  const share = probability < 0.01 ? "fewer than 1" : fixed(100 * probability, 0);
  if (probability > 0.9) return `Very: about ${share} of 100 such places are section breaks.`;
  if (probability > 0.6) return `Fairly: about ${share} of 100 such places are section breaks.`;
  if (probability > 0.25) return `Unsure: about ${share} of 100 such places are section breaks.`;
  return `A reader would rarely break here: about ${share} of 100.`;
}
