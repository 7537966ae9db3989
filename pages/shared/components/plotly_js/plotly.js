// Plotly.js, loaded once a page.

import { shared } from "../base/bus.js";
import { element } from "../base/dom.js";

/**
 * @param {string} path relative to the app's root, which Streamlit's own script shows
 * @returns {Promise<any>}
 */
export function loadPlotly(path) {
  const entry = /** @type {HTMLScriptElement | null} */ (document.querySelector("script[type=module][src*='static/js/']"));
  const url = entry ? new URL(`../../${path}`, entry.src).href : new URL(`./${path}`, document.baseURI).href;
  const known = shared.scripts.get(url);
  if (known) return known;
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
