// The text of a workbench, edited where it stands, and what that changes of its cuts.

/** @import { OtherCuts } from "./page_painter.js" */
/** @import { Passage } from "./passage_editor.js" */
/** @import { Workbench } from "./workbench.js" */
import { PassageEditor, passageAround } from "./passage_editor.js";

const BELOW_TOP = 60; // pixels of the view below its top, where the text is read

export class TextEditing {
  /** @type {PassageEditor | null} */ editor = null;
  isApplied = false; // whether what the editor has was handed on
  /** What was cut before the text was edited; null where it was not. @type {OtherCuts | null} */ before = null;

  /** @param {Workbench} workbench */
  constructor(workbench) {
    this.workbench = workbench;
  }

  /** Closes the editor, or opens it at the chosen place, else at the top of what is in view. */
  toggle() {
    if (this.editor) return this.editor.close();
    const { state, reader, selected } = this.workbench;
    this.openAt(selected >= 0 ? state.source.gapUnits[selected] : Math.floor(reader.geometry.offsetAt(reader.pane.scrollTop + BELOW_TOP)));
  }

  /** @param {MouseEvent} event */
  openUnder(event) {
    const { reader, state, surroundings } = this.workbench;
    const gap = reader.gapUnder(event);
    if (!surroundings.onEdit || gap < 0 || reader.view === "pages") return;
    getSelection()?.removeAllRanges();
    this.openAt(state.source.gapUnits[gap]);
  }

  /** @param {number} offset in the JavaScript string */
  openAt(offset) {
    this.open(passageAround(this.workbench.state.source.text, offset));
  }

  /** @param {Passage} passage */
  open(passage) {
    const { surroundings, parts, reader, state, isSide } = this.workbench;
    if (!surroundings.onEdit || isSide) return;
    if (reader.view === "pages") this.workbench.showView(reader.textView);
    const { start, end, words } = passage;
    this.editor?.close();
    this.editor = new PassageEditor(parts.page, { start, end, words: state.source.text.slice(start, end) }, {
      onApply: (edited) => this.apply(edited),
      onClose: () => this.release(),
    });
    this.editor.field.value = words;
    this.place();
    this.editor.open();
    this.workbench.request();
  }

  /** Puts the editor over its passage. */
  place() {
    const { reader, parts } = this.workbench;
    const { marginLeft, width } = parts.text.style;
    this.editor?.place(reader.geometry, { left: parseFloat(marginLeft) || 0, width: parseFloat(width) || 0 });
  }

  /** Hands an edited passage on; what is typed stays until the edited text is there. @param {Passage} passage */
  apply(passage) {
    this.isApplied = true;
    this.workbench.surroundings.onEdit?.(passage);
  }

  /** The editor was closed. */
  release() {
    this.editor = null;
    this.isApplied = false;
    this.workbench.parts.pane.focus({ preventScroll: true });
    this.workbench.request();
  }

  /** The text as it will be. */
  get text() {
    const { text } = this.workbench.state.source;
    const { start, end, words } = this.editor?.edited ?? { start: 0, end: 0, words: "" };
    return text.slice(0, start) + words + text.slice(end);
  }

  /**
   * Marks which cuts are new in an edited text, and which are gone.
   *
   * @param {number[] | null} gaps of this text that were cut before; null where it was not edited
   * @param {[number, string][]} decisions of the gaps that changed: what each was, in words
   */
  mark(gaps, decisions) {
    const cut = gaps && new Set(gaps);
    this.before = cut && { isCut: (gap) => cut.has(gap), hasCutLine: false, cutLine: 0 };
    this.workbench.panel.decidedBefore = new Map(decisions);
    this.workbench.request();
  }
}
