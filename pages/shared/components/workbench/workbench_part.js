// The workbench as a part of the app: it opens what Python sends, and reports what is at rest.

/** @import { ByHand, ChangedPassage, Rest, WorkbenchHead } from "../messages.js" */
/** @import { Passage } from "../../../../chunking/web/workbench/passage_editor.js" */
/** @import { HandReport } from "../../../../chunking/web/workbench/hand_editing.js" */
/** @import { RestState } from "../../../../chunking/web/workbench/rest.js" */
/** @import { Place } from "../../../../chunking/web/workbench/workbench.js" */
/** @import { WorkbenchData } from "../../../../chunking/web/workbench/workbench_state.js" */
/** @import { Setting } from "../../../../chunking/web/engine/cuts.js" */
import { HandEditing } from "../../../../chunking/web/workbench/hand_editing.js";
import { PagesView } from "../../../../chunking/web/pages/pages_view.js";
import { Workbench, isResumable } from "../../../../chunking/web/workbench/workbench.js";
import { mounted } from "../base/dom.js";
import { WindowPart } from "./window_part.js";
import { dataOf } from "./kept_data.js";

/** @extends {WindowPart<Workbench, WorkbenchHead, WorkbenchData>} */
class WorkbenchPart extends WindowPart {
  /** @param {WorkbenchHead} head @returns {WorkbenchData | null} */
  dataFor({ source, lanes }) {
    const document = dataOf(source);
    const strategies = lanes.map((lane) => ({ ...dataOf(lane.source), title: lane.title }));
    return document && strategies.every((lane) => "controls" in lane) ? { ...document, lanes: strategies } : null;
  }

  /** @param {WorkbenchHead} head */
  namesIn({ comparison, source, lanes }) {
    return [String(comparison), source, ...lanes.map((lane) => lane.source)].join("\n");
  }

  /** @param {Workbench} view */
  placeOf(view) {
    return view.place;
  }

  /** @param {WorkbenchData} data @param {Place | null} earlier */
  isResumed(data, earlier) {
    return earlier !== null && isResumable(earlier, data);
  }

  /** @param {WorkbenchData} data @param {Place} [earlier] */
  build(data, earlier) {
    const { remote, comparison, pages, editable, by_hand: byHand } = this.head;
    return new Workbench(this.root, { ...data, edits: byHand ?? [] }, {
      onRest: (state) => this.report(state),
      onRelease: () => this.open(),
      onEdit: editable ? (passage) => this.edit(passage) : undefined,
      byHand: byHand ? (workbench) => new HandEditing(workbench, (report) => this.decide(report)) : undefined,
      isRemote: remote,
      isComparison: comparison,
      pages: pages ? (places, text) => new PagesView(places, text) : undefined,
      place: earlier,
    });
  }

  show() {
    const { head } = this;
    this.openPages();
    this.view?.confirm(head.received);
    this.view?.pin(head.pinned);
    if (head.by_hand) this.view?.hand?.follow(head.by_hand, head.by_hand_received);
    this.view?.editing.mark(head.cut_before, head.decided_before);
    this.view?.setFacts({ setting: head.lanes[head.lane]?.setting, gap: head.selected ?? -1, rows: head.facts });
    if (this.revision !== head.revision) this.follow();
  }

  /** Shows the pages that have come. */
  openPages() {
    const { pages } = this.head;
    const places = pages && dataOf(pages.source);
    if (!places) return;
    this.view?.openPages(places, pages.shown);
    for (const page of pages.pictures) {
      const picture = dataOf(`${pages.source}/${page}`);
      if (picture) this.view?.reader.pages?.sheets.setPicture(page, picture);
    }
  }

  follow() {
    const { lanes, lane, selected, columns, view, pages, revision } = this.head;
    const isFirst = this.revision < 0;
    this.revision = revision;
    this.view?.following.show({
      settings: lanes.map(({ setting }) => /** @type {Setting | null} */ (setting)),
      titles: lanes.map(({ title }) => title),
      ...{ lane, gap: selected ?? -1, columns, view: view && { from: view[0], to: view[1] }, page: pages?.shown ?? null },
    });
    if (!isFirst && selected !== null) this.root.scrollIntoView({ block: "nearest" });
  }

  /** @param {Passage} passage */
  edit({ start, end, words }) {
    const source = this.view?.state.source;
    if (!source) return;
    /** @type {ChangedPassage} */ const changed = { document: this.head.document, start: source.point(start), end: source.point(end), words };
    this.send("edit", changed);
  }

  /** @param {HandReport} report */
  decide({ number, edits }) {
    /** @type {ByHand} */ const byHand = { document: this.head.document, number, edits };
    this.send("by_hand", byHand);
  }

  /** @param {RestState} state */
  report({ number, changes, lane, gap, columns, view, pages, isOpened }) {
    const { document: key, source, lanes } = this.head;
    const moved = changes.map((change) => ({ label: lanes[change.lane].label, setting: change.setting, names: change.moved }));
    /** @type {Rest} */ const rest = { number, document: key, source, changes: moved, lane, gap: gap < 0 ? null : gap, columns, view: view && [view.from, view.to], pages, is_opened: isOpened };
    this.send("rest", rest);
  }
}

export default mounted(WorkbenchPart);
