// Elements of the page, themes, and the place where Streamlit mounts a component.

/**
 * What Streamlit passes to a component at each update.
 *
 * @typedef {object} Component
 * @property {Uint8Array} data
 * @property {HTMLElement} parentElement
 * @property {(name: string, value: unknown) => void} setStateValue
 * @property {(name: string, value: unknown) => void} setTriggerValue
 */

/** @typedef {"light" | "dark"} Theme */

const USUAL_TYPE = 16; // pixels of a rem

/** @param {string} color */
function luminance(color) {
  const canvas = element("canvas");
  const probe = contextOf(canvas, { willReadFrequently: true });
  for (const style of ["#fff", color]) {
    probe.fillStyle = style;
    probe.fillRect(0, 0, 1, 1);
  }
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

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

/** How many times larger than usual the type of the page is, as in projector mode; for what is drawn in pixels. */
export function typeScale() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TYPE;
}

/** Sets the palette of a component by the background that Streamlit's theme gives it. @param {HTMLElement} root */
export function applyTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim() || "#fff";
  if (root.dataset.csBackground !== background) {
    root.dataset.csBackground = background;
    root.dataset.csTheme = luminance(background) < 0.5 ? "dark" : "light";
  }
  return /** @type {Theme} */ (root.dataset.csTheme);
}

/**
 * A copy of a figure with "role:<name>" replaced by colours. Typed arrays are passed on.
 *
 * @param {any} value
 * @param {(role: string) => string} palette
 * @returns {any}
 */
export function colored(value, palette) {
  if (typeof value === "string") return value.startsWith("role:") ? palette(value.slice(5)) : value;
  if (Array.isArray(value)) return value.map((item) => colored(item, palette));
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, colored(item, palette)]));
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

/** An element without content still takes its place in the page's column, with the gap around it. @param {HTMLElement} parent */
export function takeNoRoom(parent) {
  closest(parent, "[data-testid='stElementContainer']")?.style.setProperty("display", "none");
}

/**
 * The function that Streamlit calls at each update: one object of a class for each place it is mounted in, until it
 * really goes.
 *
 * @param {new (parent: HTMLElement) => {update: (component: Component) => void, destroy: () => void}} Part
 */
export function mounted(Part) {
  const parts = new WeakMap();
  return (/** @type {Component} */ component) => {
    const { parentElement } = component;
    const known = parts.get(parentElement) ?? { part: new Part(parentElement), calls: 0 };
    parts.set(parentElement, known);
    const call = ++known.calls;
    known.part.update(component);
    return () => {
      // Streamlit also calls this for an update that a newer one overtook.
      if (call !== known.calls) return;
      parts.delete(parentElement);
      known.part.destroy();
    };
  };
}
