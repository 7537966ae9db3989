// What a workbench shows: a document, and strategies at their present settings.

/** @import { Packed } from "../base/packed.js" */
/** @import { Setting } from "../engine/cuts.js" */
/** @import { Run, RunsData } from "../text/document_text.js" */
/** @import { LayoutBody } from "../text/layout.js" */
/** @import { TextData } from "../text/source_text.js" */
/** @import { LimitData } from "./encoder_limit.js" */
/** @import { Averages } from "./picture.js" */
/** @import { PlacesData, StrategyData } from "./segmentation.js" */
import { wholeNumbers } from "../base/packed.js";
import { runsFrom } from "../text/document_text.js";
import { Layout } from "../text/layout.js";
import { SourceText } from "../text/source_text.js";
import { EncoderLimit } from "./encoder_limit.js";
import { Picture, averagesOf } from "./picture.js";
import { StrategyModel, placesFrom } from "./segmentation.js";

/** @typedef {{elements: Record<"kind" | "depth" | "start" | "end" | "level" | "title", Packed>, substitutions: Record<"start" | "end" | "text", Packed>, kind_names: string[], names: string[], reflowed: boolean}} LayoutData */

/**
 * @typedef {object} WorkbenchData
 * @property {TextData} text
 * @property {RunsData} runs of the text
 * @property {LayoutData | null} layout
 * @property {PlacesData | null} places
 * @property {LimitData | null} limit
 * @property {{gaps: Packed, complete: boolean}} people gaps that people cut, and whether they judged the whole document
 * @property {StrategyData[]} lanes
 * @property {Record<string, string>} reasons
 * @property {string[]} kinds of what is kept together
 * @property {GapEdit[]} [edits] by hand
 */

/** An edit by hand: a gap, and whether a chunk begins there (`cut`) or none does (`join`). @typedef {[number, string]} GapEdit */

export class WorkbenchState {
  /** By hand. @type {Map<number, string>} */ edits = new Map();

  /** @param {WorkbenchData} data */
  constructor({ text, runs, layout, places, limit, people, lanes, reasons, kinds, edits = [] }) {
    this.source = new SourceText(text);
    /** Offsets of reference boundaries. @type {Int32Array} */
    this.people = wholeNumbers(people.gaps).map((gap) => this.source.offsets[gap]);
    /** Whether people have judged the whole document. */ this.isScored = people.complete;
    this.limit = limit && new EncoderLimit(limit);
    this.layout = layout && new Layout(unpackedLayout(layout), (offsets) => offsets.map((offset) => this.source.unit(offset)));
    /** @type {Run[]} */ this.runs = runsFrom(runs, this.source);
    this.places = places && placesFrom(places);
    this.placeEdits(edits);
    this.models = lanes.map((lane) => new StrategyModel(lane, this.places, this.source.offsets.length, reasons, kinds));
    this.titles = lanes.map(({ title }) => title);
    /** @type {Averages[]} */ this.averages = this.models.map(averagesOf);
    /** The present setting of each. @type {(Setting | null)[]} */
    this.settings = this.models.map(({ setting }) => setting && { ...setting });
    /** Each at its present setting. @type {Picture[]} */
    this.pictures = this.models.map((_, lane) => this.pictureOf(this.settings[lane], lane));
  }

  /** @param {Setting | null} setting @param {number} lane */
  pictureOf(setting, lane) {
    return new Picture(this.source, this.models[lane], setting, this.limit, this.averages[lane]);
  }

  /** @param {GapEdit[]} edits by hand */
  placeEdits(edits) {
    this.edits = new Map(edits);
    this.places?.setByHand(new Map(edits.map(([gap, action]) => [this.source.offsets[gap], action === "cut"])));
  }

  /** Takes other edits by hand. @param {GapEdit[]} edits */
  edit(edits) {
    this.placeEdits(edits);
    this.models.forEach((model, lane) => {
      model.edit();
      this.pictures[lane] = this.pictureOf(this.settings[lane], lane);
    });
  }

  /** Changes the setting of a strategy. @param {Setting} setting @param {number} lane */
  set(setting, lane) {
    this.settings[lane] = setting;
    this.pictures[lane] = this.pictureOf(setting, lane);
  }

  get segmentations() {
    return this.pictures.map(({ segmentation }) => segmentation);
  }

  /** The names of a strategy's sliders, by which two of the same kind are known. @param {number} lane */
  slidersOf(lane) {
    return this.models[lane].controls.map(({ name }) => name).join();
  }

  /** The largest maximum at which the encoder reads every chunk to its end; 0 for none. @param {number} lane @param {number} lowest that is allowed */
  fittingMaximum(lane, lowest) {
    const { limit, models, settings } = this;
    const setting = settings[lane];
    if (!limit || !setting || !models[lane].places) return 0;
    for (let maximum = Math.min(limit.maximum, setting.maximum || limit.maximum); maximum >= Math.max(lowest, 8); maximum -= Math.max(1, maximum >> 6)) {
      if (!this.pictureOf(withMaximum(setting, maximum), lane).unreadFrom.size) return maximum;
    }
    return 0;
  }
}

/** A setting with another maximum, and with no larger minimum. @param {Setting} setting @param {number} maximum @returns {Setting} */
export function withMaximum(setting, maximum) {
  return { ...setting, maximum, minimum: Math.min(setting.minimum, maximum) };
}

/** @param {LayoutData} data @returns {LayoutBody} */
function unpackedLayout({ elements, substitutions, kind_names, names, reflowed }) {
  const numbers = (/** @type {Record<string, Packed>} */ columns) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, wholeNumbers(column)]));
  const { kind, depth, ...places } = numbers(elements);
  return /** @type {LayoutBody} */ ({
    elements: { ...places, kind: Uint8Array.from(kind), depth: Uint8Array.from(depth) },
    substitutions: numbers(substitutions),
    kind_names,
    names,
    reflowed,
  });
}
