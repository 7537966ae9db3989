// Follows Streamlit's own controls while they are moved, before Python hears of it.
//
// A slider is a range input that says its value to screen readers at every step of a drag, by mouse, touch or key; that is
// read here while it has the focus, since Python moves sliders too. A field for a number reports what is typed, and can be
// dragged by its label.

import { closest } from "./dom.js";

const STEPS_A_PIXEL = 0.5;
const GROWTH = 1.008; // of the steps with every pixel, so that a long drag reaches a large number
const FIELD = "[data-testid=stNumberInput]";
const DRAG_TITLE = "Drag to change the number";

/**
 * Calls `moved` with a name and a value whenever the user makes one of the controls show another number.
 *
 * @param {() => Record<string, string>} controls name by Streamlit key
 * @param {(name: string, value: number) => void} moved
 * @param {AbortSignal} signal
 * @returns {{refresh: () => void}} `refresh` is called when `controls` returns others
 */
export function followControls(controls, moved, signal) {
  const nameOf = (/** @type {Element} */ control) => {
    const box = control.closest("[class*=st-key-]");
    const key = [...(box?.classList ?? [])].find((name) => name.startsWith("st-key-"))?.slice("st-key-".length);
    return key === undefined ? undefined : controls()[key];
  };
  const tell = (/** @type {Element} */ control, /** @type {number} */ value) => {
    const name = nameOf(control);
    if (name !== undefined && Number.isFinite(value)) moved(name, value);
  };
  const sliders = new MutationObserver((records) => {
    for (const { target } of records) {
      const moving = target instanceof HTMLInputElement && target.type === "range" && target === document.activeElement;
      if (moving) tell(target, Number(target.value));
    }
  });
  sliders.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
  signal.addEventListener("abort", () => sliders.disconnect());
  const fields = (/** @type {Event} */ { target }) => {
    if (target instanceof HTMLInputElement && target.type === "number" && target.value) tell(target, Number(target.value));
  };
  document.addEventListener("input", fields, { signal });
  document.addEventListener("pointerdown", (event) => dragLabel(event, nameOf, signal), { signal });
  return { refresh: markLabels(controls, nameOf, signal) };
}

/**
 * Shows that the labels of followed fields can be dragged. A style sheet sets the cursor, so that labels which Streamlit
 * makes anew have it too; the title is set when the pointer comes to a label.
 *
 * @param {() => Record<string, string>} controls
 * @param {(label: Element) => string | undefined} nameOf
 * @param {AbortSignal} signal
 */
function markLabels(controls, nameOf, signal) {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const titled = (/** @type {EventTarget | null} */ target) => {
    const label = closest(target, `${FIELD} label`);
    const words = label?.querySelector("p");
    if (!label || !words) return;
    if (nameOf(label) !== undefined && fieldOf(label)) words.title = DRAG_TITLE;
    else if (words.title === DRAG_TITLE) words.removeAttribute("title");
  };
  document.addEventListener("pointerover", ({ target }) => titled(target), { signal });
  signal.addEventListener("abort", () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    for (const words of document.querySelectorAll(`${FIELD} label p[title="${DRAG_TITLE}"]`)) words.removeAttribute("title");
  });
  let shown = "";
  return () => {
    const keys = Object.keys(controls()).map((key) => `.st-key-${CSS.escape(key)}`).join(", ");
    if (keys === shown) return;
    shown = keys;
    // Up and down still scrolls the sidebar by touch.
    const style = "cursor: ew-resize; touch-action: pan-y; user-select: none;";
    sheet.replaceSync(keys && `:is(${keys}) ${FIELD}:not(:has(input:disabled)) label p { ${style} }`);
  };
}

/** The field of a label, if it can be changed. @param {Element} label */
function fieldOf(label) {
  const field = label.closest(FIELD)?.querySelector("input");
  return field && !field.disabled ? field : null;
}

/** Lets a drag on the label of a field for a number change the number. @param {PointerEvent} event @param {(label: Element) => string | undefined} nameOf @param {AbortSignal} signal */
function dragLabel(event, nameOf, signal) {
  const label = closest(event.target, `${FIELD} label`);
  const field = label && fieldOf(label);
  if (event.button !== 0 || !label || !field || nameOf(label) === undefined) return;
  const began = Number(field.value);
  const step = Number(field.step) || 1;
  const until = new AbortController();
  const options = { signal: AbortSignal.any([signal, until.signal]) };
  let dragged = false;
  window.addEventListener(
    "pointermove",
    ({ clientX }) => {
      const pixels = clientX - event.clientX;
      dragged ||= Math.abs(pixels) > 3;
      if (!dragged) return;
      const steps = Math.round(Math.sign(pixels) * STEPS_A_PIXEL * ((GROWTH ** Math.abs(pixels) - 1) / (GROWTH - 1)));
      write(field, Math.max(Number(field.min), Math.min(Number(field.max || Infinity), began + steps * step)));
    },
    options,
  );
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(
      end,
      () => {
        until.abort();
        if (dragged) field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true }));
      },
      options,
    );
  }
}

/** Writes as if it were typed: React keeps a field's value unless its own setter changes it. @param {HTMLInputElement} field @param {number} value */
function write(field, value) {
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  setter?.call(field, String(value));
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
