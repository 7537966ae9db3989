// The names of the lanes, left of their rows.

/** @import { LanesBody } from "../messages.js" */
import { contextOf, element, termed } from "../base/dom.js";
import { oneLine, visible } from "../base/text.js";

const LABEL_GAP = 8;
const LABEL_SHARE = 0.26; // of the width, at most for the lanes' names
const LABEL_LEAST = 90;
const LABEL_PADDING = 12;

export class LaneLabels {
  root = element("div", "cs-labels");
  named = { lanes: "", width: 0 }; // which lanes, and what their names have needed
  pen = contextOf(element("canvas"));

  /** The margin that the lanes' names take: what the longest needs, and no more than a share of the window.
   *
   * A name tells the setting, so it changes with it: the margin does not shrink until there are other lanes.
   *
   * @param {LanesBody["lanes"]} lanes
   * @param {string | null} document
   * @param {string} family
   * @param {number} width
   */
  margin(lanes, document, family, width) {
    const { pen } = this;
    const widths = lanes.map(({ title, kind }) => {
      pen.font = `${kind === "gold" ? 600 : 400} 12px ${family}`;
      return pen.measureText(visible(title)).width;
    });
    const key = `${document}/${lanes.length}`;
    const before = key === this.named.lanes ? this.named.width : 0;
    const wanted = Math.max(before, Math.ceil(Math.max(0, ...widths)) + LABEL_GAP + LABEL_PADDING);
    this.named = { lanes: key, width: wanted };
    return Math.min(Math.max(LABEL_LEAST, wanted), Math.max(LABEL_LEAST, Math.round(width * LABEL_SHARE)));
  }

  /** The rows' names, which end in an ellipsis where the margin is too narrow. @param {LanesBody} data @param {any} axes Plotly's layout @param {number} left of the axes, in pixels */
  fill({ lanes, consensus }, { yaxis2, yaxis3 }, left) {
    const rows = lanes.map(({ title, kind }, row) => ({ title, kind, row, y: yaxis3._offset + yaxis3.d2p(row) }));
    if (consensus.x.length) {
      rows.push({ title: "consensus", kind: "ribbon", row: -1, y: yaxis2._offset + yaxis2._length / 2 });
    }
    this.root.style.width = `${left - LABEL_GAP}px`;
    this.root.replaceChildren(...rows.map(laneLabel));
  }

  /** Marks the name of a lane. @param {number | null} lane */
  mark(lane) {
    for (const label of /** @type {HTMLCollectionOf<HTMLElement>} */ (this.root.children)) {
      label.classList.toggle("cs-chosen", lane !== null && label.dataset.row === String(lane));
    }
  }
}

/** @param {{title: string, kind: string, row: number, y: number}} row */
function laneLabel({ title, kind, row, y }) {
  const label = element("div", "cs-label", oneLine(title));
  label.dir = "auto";
  if (kind === "ribbon") termed(label, "consensus");
  else label.title = oneLine(title);
  label.dataset.kind = kind;
  if (row >= 0) label.dataset.row = String(row);
  label.style.top = `${Math.round(y)}px`;
  return label;
}
