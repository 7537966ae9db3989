// Put before each component's own code: what they have in common.

/** The events by which the components talk. Each has `detail: {document, gap, source}`, gap null for none. */
const BUS = Object.freeze({
  document: "chunkscope:document", // a document was stored; detail: {document}
  hover: "chunkscope:hover-gap",
  select: "chunkscope:select-gap",
  view: "chunkscope:view", // another part of the document is looked at; detail: {document, source}
});

const KEPT_DOCUMENTS = 4;
const CONFIRM_MS = 4000; // how long a choice made here stands against what Python still says

const shared = (window.__chunkscope ??= {
  documents: new Map(), // key -> {text, spans, kinds, kindNames}
  selections: new Map(), // key -> {gap, since}; since > 0: not yet confirmed by Python
  parts: new Map(), // key -> [from, to], the part of the document that is looked at, in code points; none for all
  scripts: new Map(), // URL -> promise
});

const COLUMN_TYPES = { f4: Float32Array, i4: Int32Array, u1: Uint8Array };

/** Loads Plotly once a page. The path is relative to the app's root, which Streamlit's own script tells. */
function loadPlotly(path) {
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

/** First index whose value is not below `value`; `sorted` ascends. */
function lowerBound(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads a message of wire.py. `body()` is parsed on demand, because most messages repeat a known content. */
function unpack(bytes) {
  const own = bytes.slice(); // aligned, and independent of the message's buffer
  const view = new DataView(own.buffer, own.byteOffset);
  const headEnd = 8 + view.getUint32(0, true);
  const bodyEnd = headEnd + view.getUint32(4, true);
  const columns = bodyEnd + (-bodyEnd & 7);
  const decode = (from, to) => new TextDecoder().decode(own.subarray(from, to));
  const revive = (_, value) => {
    const reference = value?.$;
    if (!Array.isArray(reference)) return value;
    const [type, offset, length] = reference;
    return new COLUMN_TYPES[type](own.buffer, own.byteOffset + columns + offset, length);
  };
  return {
    head: JSON.parse(decode(8, headEnd)),
    body: () => JSON.parse(decode(headEnd, bodyEnd), revive),
  };
}

function announce(event, detail) {
  window.dispatchEvent(new CustomEvent(event, { detail }));
}

/** The chosen gap after Python said `given`. A newer choice made here wins until Python repeats it. */
function settleSelection(document, given) {
  const known = shared.selections.get(document);
  const waiting = known !== undefined && known.since > 0 && performance.now() - known.since < CONFIRM_MS;
  if (waiting && known.gap !== given) return known.gap;
  shared.selections.set(document, { gap: given, since: 0 });
  return given;
}

function chooseGap(document, gap, source) {
  shared.selections.set(document, { gap, since: performance.now() });
  announce(BUS.select, { document, gap, source });
}

function luminance(color) {
  const probe = window.document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = "#fff";
  probe.fillRect(0, 0, 1, 1);
  probe.fillStyle = color;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/** Sets the palette of a component by the background that Streamlit's theme gives it; returns the theme's name. */
function applyTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim() || "#fff";
  if (root.dataset.csBackground !== background) {
    root.dataset.csBackground = background;
    root.dataset.csTheme = luminance(background) < 0.5 ? "dark" : "light";
  }
  return root.dataset.csTheme;
}

/** A copy of a figure with "role:<name>" replaced by colours. Typed arrays are passed on. */
function colored(value, palette) {
  if (typeof value === "string") return value.startsWith("role:") ? palette(value.slice(5)) : value;
  if (Array.isArray(value)) return value.map((item) => colored(item, palette));
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, colored(item, palette)]));
}

function element(tag, className, text) {
  const made = window.document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const ODD = /\r\n?|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202d\u202e]|\p{Cs}/gu;

/** Text as it can be shown: every line ending breaks a line, and what has no shape, or would turn the text around it
 * (the two overrides of direction), gets one. */
function visible(text) {
  return text.replace(ODD, (found) => {
    const code = found.charCodeAt(0);
    if (code === 0x0d || code === 0x2028 || code === 0x2029) return "\n";
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return code >= 0xd800 && code <= 0xdfff ? "\ufffd" : "\u2426";
  });
}

/** The text of a sentence on one line, cut to about `length` characters. */
function clip(text, length) {
  const whole = [...visible(text.slice(0, 4 * length)).replace(/\s+/g, " ").trim()];
  return whole.length > length ? whole.slice(0, length).join("").trimEnd() + "…" : whole.join("");
}

function sentenceText(stored, sentence) {
  return stored.text.slice(stored.spans[2 * sentence], stored.spans[2 * sentence + 1]);
}

const number = new Intl.NumberFormat("en");

/** What Streamlit calls at each update: one object of a class for each place it is mounted in, until it really goes. */
function mounted(Part) {
  const parts = new WeakMap();
  return (component) => {
    const { parentElement } = component;
    let part = parts.get(parentElement);
    if (!part) parts.set(parentElement, (part = new Part(parentElement)));
    const call = (part.calls = (part.calls ?? 0) + 1);
    part.update(component);
    return () => {
      // Streamlit also calls this for an update that a newer one overtook.
      if (call !== part.calls) return;
      parts.delete(parentElement);
      part.destroy();
    };
  };
}
