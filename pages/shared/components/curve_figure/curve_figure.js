// The curves of a setting, and its chunks in the text where they are wanted. They follow controls of Streamlit in every frame.

/** @import { Component } from "../base/dom.js" */
/** @import { CurveFigureHead } from "../messages.js" */
/** @import { Setting } from "../../../../chunking/web/engine/cuts.js" */
/** @import { WorkbenchData } from "../../../../chunking/web/workbench/workbench_state.js" */
import { DocumentText, runsFrom } from "../../../../chunking/web/text/document_text.js";
import { SourceText } from "../../../../chunking/web/text/source_text.js";
import { wholeNumbers } from "../../../../chunking/web/base/packed.js";
import { admissible } from "../../../../chunking/web/engine/limits.js";
import { fixed } from "../../../../chunking/web/engine/numbers.js";
import { paletteOf } from "../../../../chunking/web/workbench/canvas.js";
import { Geometry } from "../../../../chunking/web/workbench/geometry.js";
import { PagePainter } from "../../../../chunking/web/workbench/page_painter.js";
import { Picture, averagesOf } from "../../../../chunking/web/workbench/picture.js";
import { StrategyModel, placesFrom } from "../../../../chunking/web/workbench/segmentation.js";
import { Strip } from "../../../../chunking/web/workbench/strip.js";
import { BUS, announce, listen } from "../base/bus.js";
import { element, mounted, remInPixels } from "../base/dom.js";
import { followSliders } from "../base/followed_sliders.js";
import { DataPart } from "../workbench/data_part.js";
import { dataOf } from "../workbench/kept_data.js";

const ANSWER_MS = 1500; // after the last move: Python has refused the setting

/** What a figure is made of. @typedef {{document: Omit<WorkbenchData, "lanes">, lane: WorkbenchData["lanes"][number]}} FigureData */

/** @extends {DataPart<never, CurveFigureHead, FigureData>} */
class CurveFigure extends DataPart {
  /** The topic of what is pointed at. @type {string | null} */ topic = null;
  /** What the controls show and Python has not answered yet. @type {Partial<Setting>} */ moved = {};
  hovered = -1;
  isPreviewing = false;
  frame = 0;
  timer = 0;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "wb wb-figure");
    const { signal } = this.listening;
    listen(BUS.hover, this, signal, ({ gap }) => this.hover(gap ?? -1, false));
    followSliders(() => this.next?.controls ?? {}, (name, value) => this.follow({ [name]: value }), signal);
    this.resizing = new ResizeObserver(() => this.resized());
    this.resizing.observe(this.root);
  }

  /** @param {Component} component */
  update(component) {
    super.update(component);
    this.topic = this.next?.document ?? null;
    const setting = this.next?.setting;
    this.moved = Object.fromEntries(Object.entries(this.moved).filter(([name, value]) => setting?.[name] !== value));
  }

  /** Controls show other numbers. @param {Partial<Setting>} values */
  follow(values) {
    this.moved = { ...this.moved, ...values };
    this.request();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.moved = {};
      this.request();
    }, ANSWER_MS);
  }

  /** @param {CurveFigureHead} head @returns {FigureData | null} */
  dataFor({ source, lane }) {
    const [document, strategy] = [dataOf(source), dataOf(lane)];
    return document && strategy && { document, lane: strategy };
  }

  /** @param {CurveFigureHead} head */
  namesIn({ source, lane, text }) {
    return `${source}\n${lane}\n${text}`;
  }

  show() {
    this.request();
  }

  /** @param {FigureData} data @returns {null} it draws itself */
  build({ document: { text, runs, places, people, reasons, kinds }, lane }) {
    this.palette = paletteOf(this.root);
    const source = new SourceText(text);
    this.text = source;
    this.people = wholeNumbers(people.gaps).map((gap) => source.offsets[gap]);
    this.model = new StrategyModel(lane, places && placesFrom(places), source.offsets.length, reasons, kinds);
    this.averages = averagesOf(this.model);
    const section = element("section", "wb-strip");
    this.root.append(this.legend(), section);
    this.strip = new Strip(section, { onPoint: (gap) => this.hover(gap, true), onChoose: () => {}, onResize: () => this.request() });
    this.strip.open(source.offsets, source.length);
    this.painter = null;
    if (this.head.text) this.buildText(source, runs);
    this.note = element("div", "wb-figure-note");
    this.root.append(this.note);
    return null;
  }

  /** @param {SourceText} source @param {WorkbenchData["runs"]} runs */
  buildText(source, runs) {
    const [pane, page, gutter, article] = [element("div", "wb-pane"), element("div", "wb-page"), element("div", "wb-gutter"), element("article", "wb-text")];
    pane.tabIndex = 0;
    pane.setAttribute("role", "region");
    pane.setAttribute("aria-label", this.head.words.text);
    page.append(gutter, article);
    pane.append(page);
    this.root.append(pane);
    this.documentText = new DocumentText(article, source, null, runsFrom(runs, source));
    this.documentText.show("source");
    this.painter = new PagePainter(pane, page, gutter);
    this.page = page;
    this.article = article;
    pane.addEventListener("scroll", () => this.painter?.needsPaint() && this.request(), { passive: true });
    this.measure();
  }

  legend() {
    const made = element("div", "wb-figure-legend");
    const { words } = this.head;
    for (const [name, glyph] of /** @type {[keyof typeof words, string][]} */ ([["meaning", "● "], ["layout", "◆ "], ["both", "━ "], ["threshold", "┅ "], ["people", "▲ "]])) {
      if (words[name]) made.append(element("span", `wb-${name === "both" ? "both-word" : name}`, glyph + words[name]));
    } // prettier-ignore
    return made;
  }

  measure() {
    const { page, article, documentText, text } = this;
    if (!page || !article || !documentText || !text) return;
    const rem = remInPixels();
    const [width, gutter] = [page.clientWidth, 4.6 * rem];
    const right = width - 0.6 * rem;
    article.style.marginLeft = `${gutter + 0.7 * rem}px`;
    article.style.width = `${Math.max(right - gutter - 1.4 * rem, 6 * rem)}px`;
    page.style.setProperty("--wb-gutter", `${gutter}px`);
    this.columns = { rem, width, left: gutter, right, base: right, barWidth: 0, isPhone: false };
    this.geometry = new Geometry(documentText, page, text.gapUnits, text.text.length);
  }

  resized() {
    this.measure();
    this.request();
  }

  request() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { head, model, text, strip, palette, averages, people, hovered } = this;
    if (!model || !text || !strip || !palette || !averages || !people) return;
    const setting = admissible({ .../** @type {Setting} */ (head.setting), ...this.moved });
    const picture = new Picture(text, model, setting, null, averages);
    const rem = remInPixels();
    const marks = { selected: -1, hovered, people, before: null, words: /** @type {[string, string]} */ (["", ""]) };
    const columns = { rem, width: 0, left: 0, right: 0, base: 0, barWidth: 0, isPhone: true };
    const threshold = Number.isFinite(picture.curves?.threshold) ? fixed(picture.curves?.threshold ?? 0, 3) : "";
    strip.draw(picture, { columns, palette, marks, seen: null, threshold, decimal: head.words.decimal });
    this.root.dataset.chunks = String(picture.chunks.length);
    this.preview(picture);
    const { note, painter, geometry } = this;
    if (note) note.textContent = `${head.words.chunks}: ${picture.chunks.length}`;
    if (painter && geometry && this.columns) painter.paint(picture, geometry, this.columns, palette, marks, { bars: false, words: false });
  }

  /** Tells what is cut while a control shows another setting than Python's. @param {Picture} picture */
  preview({ chunks }) {
    const isPreview = Object.keys(this.moved).length > 0;
    if (!isPreview && !this.isPreviewing) return;
    this.isPreviewing = isPreview;
    const gaps = isPreview ? chunks.map(({ gap }) => gap).filter((gap) => gap >= 0) : null;
    window.dispatchEvent(new CustomEvent(BUS.preview, { detail: { gaps } }));
  }

  /** @param {number} gap @param {boolean} isOwn whether the pointer is here */
  hover(gap, isOwn) {
    if (gap === this.hovered) return;
    this.hovered = gap;
    if (isOwn) announce(BUS.hover, { document: this.topic, gap: gap < 0 ? null : gap, source: this });
    this.request();
  }

  onTheme() {
    this.palette = paletteOf(this.root);
    this.request();
  }

  destroy() {
    this.resizing.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    super.destroy();
  }
}

export default mounted(CurveFigure);
