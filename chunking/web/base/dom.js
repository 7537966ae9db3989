// Elements of the page and canvases.

const USUAL_TYPE = 16; // pixels of a rem

/** @param {HTMLCanvasElement} canvas @param {CanvasRenderingContext2DSettings} [settings] */
export function contextOf(canvas, settings) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", settings));
}

/**
 * The context of an empty canvas of that size, drawn on in pixels of the page but as sharp as the screen.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`; // whole pixels, or the browser would blur it into its place
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = contextOf(canvas);
  context.scale(canvas.width / width, canvas.height / height);
  return context;
}

/** Pixels of a rem, which are more in projector mode. */
export function remInPixels() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** How many times larger than usual the type of the page is, as in projector mode; for what is drawn in pixels. */
export function typeScale() {
  return remInPixels() / USUAL_TYPE;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A button, with a label for screen readers where its words do not say what it does.
 *
 * @param {string} className
 * @param {string} [words]
 * @param {string} [label]
 */
export function button(className, words, label) {
  const made = element("button", className, words);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  return made;
}

/** Gives an element the definition of a term, which the glossary shows on hover, focus or tap.
 *
 * @template {HTMLElement} Made
 * @param {Made} made
 * @param {string | undefined} term its name in the glossary; nothing for none
 */
export function termed(made, term) {
  if (!term) return made;
  made.dataset.term = term;
  if (made.tabIndex < 0) made.tabIndex = 0;
  return made;
}

/** The element that an event is about, or the nearest around it that matches. @param {EventTarget | null} target @param {string} selector */
export function closest(target, selector) {
  return target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(selector)) : null;
}

/** Sets the words of an element where they differ. @param {HTMLElement} target @param {string} words */
export function setWords(target, words) {
  if (target.textContent !== words) target.textContent = words;
}
