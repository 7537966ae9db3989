// What somebody else has chosen, shown in a workbench.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { Workbench } from "./workbench.js" */
/** @import { View } from "./zoom.js" */
import { admissible } from "../engine/limits.js";

/** What somebody else has chosen; of pages, the one that is shown. @typedef {{settings: (Setting | null)[], titles: string[], lane: number, gap: number, columns: number[], view: View | null, page: number | null}} Followed */

export class Following {
  /** @param {Workbench} workbench */
  constructor(workbench) {
    this.workbench = workbench;
  }

  /** The strongest cut in view, as an example of what the panel is for; none behind a heading, where layout deceives. */
  exampleInView() {
    const { picture, model, reader } = this.workbench;
    const headings = model.curves?.features?.values[model.curves.features.names.indexOf("after_heading")];
    const { scrollTop, clientHeight } = reader.pane;
    let example = -1;
    for (const gap of reader.geometry.gapsBetween(scrollTop, scrollTop + clientHeight - 60)) {
      if (!picture.isCut(gap) || (headings?.[gap] ?? 0) > 0) continue;
      if (example < 0 || picture.excessOf(gap).total > picture.excessOf(example).total) example = gap;
    }
    return example;
  }

  /** Shows a choice. What the user has moved since the last report that has arrived, or chosen since the last one, stays. @param {Followed} followed */
  show({ settings, titles, lane, gap, columns, view, page }) {
    const { workbench } = this;
    const { state, rest, lanes } = workbench;
    settings.forEach((setting, index) => this.followSetting(setting, index));
    state.titles = titles;
    lanes?.rows.rename(titles);
    const { isPending } = rest;
    if (!isPending && lane !== workbench.lane && lane < state.models.length) workbench.openLane(lane);
    lanes?.comparison.open(state.segmentations);
    if (workbench.picture.setting) workbench.sliders.show(workbench.picture.setting);
    if (rest.moved.size) rest.later();
    if (!isPending) {
      this.followPlace(gap, columns, view);
      if (page !== rest.toldPage) this.followPage(page);
      rest.settle();
    }
    workbench.request();
  }

  /** @param {number} gap @param {number[]} columns @param {View | null} view */
  followPlace(gap, columns, view) {
    const { workbench } = this;
    const { lanes, isSide } = workbench;
    lanes?.rows.axis.show(view ?? { from: 0, to: 1 });
    if (columns.length && String(columns) !== String(lanes?.side.lanes)) workbench.showSide(columns);
    else if (!columns.length && isSide) workbench.closeSide();
    this.followGap(gap);
  }

  /** @param {number | null} page that is shown, null for the text */
  followPage(page) {
    const { workbench } = this;
    const { reader, surroundings } = workbench;
    if (page === null) {
      reader.isAskingForPages = false;
      if (reader.view === "pages") workbench.showView(reader.textView);
    } else if (!reader.pages) reader.isAskingForPages = surroundings.pages !== undefined;
    else if (reader.view !== "pages" || !reader.pagesInView.includes(page)) {
      workbench.showView("pages");
      reader.goToPage(page);
    }
  }

  /** @param {Setting | null} setting @param {number} lane */
  followSetting(setting, lane) {
    const { state, rest } = this.workbench;
    if (setting && state.models[lane]?.setting) state.set(admissible({ ...setting, ...rest.ownOf(lane) }), lane);
  }

  /** @param {number} gap */
  followGap(gap) {
    const { workbench } = this;
    const { isPhone } = workbench.columns;
    if (gap < 0 && workbench.isUntouched && !isPhone && !workbench.lanes) gap = this.exampleInView();
    if (gap === workbench.selected || gap >= workbench.state.source.offsets.length) return;
    workbench.isUntouched &&= gap < 0 || gap === this.exampleInView();
    workbench.selected = gap;
    if (gap >= 0) workbench.bringIntoView(gap);
    workbench.root.classList.toggle("wb-sheet", isPhone && gap >= 0);
  }
}
