// Narrow columns beside the text, one for each lane of a comparison: where its chunks are, and their tokens.

/** @import { PageGeometry } from "../pages/page_geometry.js" */
/** @import { Geometry } from "./geometry.js" */
/** @import { Palette } from "./canvas.js" */
/** @import { Comparison, Lane } from "./comparison.js" */
/** @import { Columns } from "./page_painter.js" */
import { number } from "../engine/numbers.js";
import { FONT } from "./page_painter.js";

/** Draws the columns. */
export class LaneColumns {
  /** @param {CanvasRenderingContext2D} context of the page @param {Comparison} comparison @param {Geometry | PageGeometry} geometry @param {Columns} columns @param {Palette} palette */
  constructor(context, comparison, geometry, columns, palette) {
    this.context = context;
    this.comparison = comparison;
    this.geometry = geometry;
    this.columns = columns;
    this.palette = palette;
    this.left = columns.right + 1.2 * columns.rem;
    this.across = (columns.width - this.left - columns.rem) / comparison.lanes.length;
  }

  /** @param {number} chosen lane @param {number} from @param {number} to pixels of the page */
  draw(chosen, from, to) {
    const { geometry, comparison } = this;
    const [first, last] = geometry.offsetsBetween(from, to).map((offset) => comparison.source.point(Math.floor(offset)));
    comparison.lanes.forEach((lane, index) => this.drawLane(lane, this.left + index * this.across, index === chosen, first, last));
  }

  /** @param {Lane} lane @param {number} x @param {boolean} isChosen @param {number} first @param {number} last offsets between which chunks are seen */
  drawLane({ segmentation, tints }, x, isChosen, first, last) {
    const { context, geometry, palette, across, comparison } = this;
    const { chunks } = segmentation;
    chunks.forEach((chunk, index) => {
      if (chunk.end < first || chunk.start > last) return;
      const top = index ? geometry.position(chunk.gap, comparison.source.unit(chunk.start)).y : geometry.first;
      const next = chunks[index + 1];
      const bottom = next ? geometry.position(next.gap, comparison.source.unit(next.start)).y : geometry.last;
      context.globalAlpha = isChosen ? 0.6 : 1;
      context.fillStyle = isChosen ? palette.tints[tints[index]][1] : palette.soft;
      context.fillRect(x + 3, top + 2, across - 6, Math.max(bottom - top - 4, 2));
      context.globalAlpha = 1;
      this.drawStart(chunk, x, top, bottom, isChosen);
    });
  }

  /** @param {{start: number, gap: number, tokens: number}} chunk @param {number} x @param {number} top @param {number} bottom @param {boolean} isChosen */
  drawStart(chunk, x, top, bottom, isChosen) {
    const { context, palette, across, columns, comparison } = this;
    if (chunk.start) {
      context.fillStyle = comparison.agrees(chunk) ? palette.people : palette.limit;
      context.fillRect(x + 3, top - 1.25, across - 6, 2.5);
    }
    if (bottom - top < 1.3 * columns.rem || across < 2 * columns.rem) return;
    context.textAlign = "center";
    context.fillStyle = isChosen ? palette.text : palette.muted;
    context.font = `${isChosen ? "600 " : ""}${0.8125 * columns.rem}px ${FONT}`;
    context.fillText(number.format(chunk.tokens), x + across / 2, top + 1.15 * columns.rem);
  }
}
