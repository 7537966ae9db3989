// What a workbench listens to: the pointer and the wheel in the text, keys, its size, the theme and the fonts.

/** @import { Workbench } from "./workbench.js" */

export class Listeners {
  listening = new AbortController();

  /** @param {Workbench} workbench */
  constructor(workbench) {
    this.workbench = workbench;
    const { root, reader } = workbench;
    const { pane } = reader;
    const { signal } = this.listening; // the root outlives the workbench
    pane.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    pane.addEventListener("pointermove", (event) => workbench.hover(reader.gapUnder(event)), { signal });
    pane.addEventListener("pointerleave", () => workbench.hover(-1), { signal });
    pane.addEventListener("click", (event) => {
      if (!getSelection()?.toString()) workbench.choose(reader.gapUnder(event));
    }, { signal }); // prettier-ignore
    pane.addEventListener("dblclick", (event) => workbench.editing.openUnder(event), { signal });
    root.addEventListener("keydown", (event) => this.key(event), { signal });
    let width = pane.clientWidth;
    this.resizing = new ResizeObserver(() => {
      if (workbench.isSide) {
        workbench.lanes?.side.measure(workbench.columns.rem);
        return workbench.request();
      }
      if (pane.clientWidth && pane.clientWidth !== width) {
        width = pane.clientWidth;
        workbench.measure();
      }
      reader.painter.covered = null;
      workbench.request();
    });
    this.resizing.observe(workbench.parts.work);
    this.resizing.observe(pane);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => workbench.showTheme(), { signal });
    document.fonts?.ready.then(() => {
      if (signal.aborted) return;
      workbench.measure();
      if (workbench.isSide) workbench.lanes?.side.measure(workbench.columns.rem);
      workbench.request();
    });
  }

  scrolled() {
    const { workbench } = this;
    const { reader } = workbench;
    if (reader.view === "pages") workbench.rest.later(); // the pictures of other pages are needed
    if (reader.painter.needsPaint()) workbench.paintPage();
    else workbench.head.path.textContent = reader.pathInView;
    workbench.drawStrip();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const { workbench } = this;
    const { selected } = workbench;
    const last = workbench.state.source.offsets.length - 1;
    if (event.key === "Escape") workbench.choose(-1);
    else if (event.key === "j") workbench.choose(Math.min(selected + 1, last), true);
    else if (event.key === "k") workbench.choose(Math.max(selected - 1, 0), true);
    else if (event.key === "n") workbench.step(1);
    else if (event.key === "p") workbench.step(-1);
    else if (event.key === "e" && workbench.surroundings.onEdit) workbench.editing.toggle();
    else if (workbench.lanes && Number(event.key) >= 1 && Number(event.key) <= workbench.state.models.length) workbench.chooseLane(Number(event.key) - 1, null, -1);
    else if (!workbench.hand?.takes(event.key, selected)) return;
    event.preventDefault();
  }

  stop() {
    this.resizing.disconnect();
    this.listening.abort();
  }
}
