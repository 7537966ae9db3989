// Themes, and the place where Streamlit mounts a component.

import { closest, contextOf, element } from "../../../../chunking/web/base/dom.js";
export { button, closest, contextOf, element, remInPixels, sized, termed, typeScale } from "../../../../chunking/web/base/dom.js";

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

/** Sets the palette of a component by the background that Streamlit's theme gives it. @param {HTMLElement} root */
export function applyTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim() || "#fff";
  if (root.dataset.csBackground !== background) {
    root.dataset.csBackground = background;
    root.dataset.csTheme = luminance(background) < 0.5 ? "dark" : "light";
  }
  return /** @type {Theme} */ (root.dataset.csTheme);
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
    const entry = parts.get(parentElement) ?? { part: new Part(parentElement), calls: 0 };
    parts.set(parentElement, entry);
    const call = ++entry.calls;
    entry.part.update(component);
    return () => {
      // Streamlit also calls this for an update that a newer one overtook.
      if (call !== entry.calls) return;
      parts.delete(parentElement);
      entry.part.destroy();
    };
  };
}
