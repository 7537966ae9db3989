// Plotly.js, loaded once a page.

import { shared } from "../base/bus.js";
import { element } from "../base/dom.js";

const ROOT = new URL("../../../../../../", import.meta.url); // of the app: the modules are served below it

/**
 * @param {string} path relative to the app's root
 * @returns {Promise<any>}
 */
export function loadPlotly(path) {
  const url = new URL(path, ROOT).href;
  const earlier = shared.scripts.get(url);
  if (earlier) return earlier;
  const loading = new Promise((resolve, reject) => {
    const script = element("script");
    script.src = url;
    script.onload = () => {
      const { Plotly } = /** @type {any} */ (window);
      if (Plotly) resolve(Plotly);
      else reject(new Error("Plotly.js did not define Plotly"));
    };
    script.onerror = () => reject(new Error(`could not load ${url}`));
    document.head.append(script);
  });
  loading.catch(() => shared.scripts.delete(url)); // a later update tries again
  shared.scripts.set(url, loading);
  return loading;
}
