// Plotly.js, loaded once a page.

import { shared } from "../base/bus.js";
import { element } from "../base/dom.js";

/** Loads Plotly once a page. The path is relative to the app's root, which Streamlit's own script tells. */
export function loadPlotly(path) {
  const entry = document.querySelector("script[type=module][src*='static/js/']");
  const url = entry ? new URL(`../../${path}`, entry.src).href : new URL(`./${path}`, document.baseURI).href;
  if (!shared.scripts.has(url)) {
    const loading = new Promise((resolve, reject) => {
      const script = element("script");
      script.src = url;
      script.onload = () => (window.Plotly ? resolve(window.Plotly) : reject(new Error("Plotly is not there")));
      script.onerror = () => reject(new Error(`could not load ${url}`));
      document.head.append(script);
    });
    loading.catch(() => shared.scripts.delete(url)); // a later update tries again
    shared.scripts.set(url, loading);
  }
  return shared.scripts.get(url);
}
