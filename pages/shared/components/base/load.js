// Loads the module and the style sheets of a component.

import { kept } from "./bus.js";
import { element } from "./dom.js";

/** @import { Component } from "./dom.js" */
/** @typedef {(component: Component) => unknown} Draw draws an update, and may return what is called at the end */

const TREE = new URL("../../../../", import.meta.url);

/** Style sheets by path. @type {Map<string, Promise<string>>} */
const texts = new Map();

if (kept("modules", () => TREE.href) !== TREE.href) {
  // A new version of the server has continued the page: what the old scripts have drawn would stay beside the new.
  throw new Error("This page has scripts of another version.");
}

/**
 * @param {string} script path of the module in the tree
 * @param {string[]} styles paths of the style sheets
 * @returns {Promise<Draw>}
 */
export async function load(script, ...styles) {
  const [module, ...sheets] = await Promise.all([import(new URL(script, TREE).href), ...styles.map(text)]);
  return styled(module.default, sheets.join("\n"));
}

/** @param {string} path @returns {Promise<string>} */
function text(path) {
  const cached = texts.get(path);
  if (cached) return cached;
  const loading = fetch(new URL(path, TREE)).then((response) => {
    if (!response.ok) throw new Error(`${path} could not be loaded`);
    return response.text();
  });
  texts.set(path, loading);
  return loading;
}

/** @param {Draw} draw @param {string} css @returns {Draw} */
function styled(draw, css) {
  const parents = new WeakSet();
  return (component) => {
    const { parentElement } = component;
    if (!parents.has(parentElement)) parentElement.prepend(element("style", "", css));
    parents.add(parentElement);
    return draw(component);
  };
}
