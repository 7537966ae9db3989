// Follows Streamlit's own controls while they are moved, before Python hears of it.
//
// A slider is a range input that says its value to screen readers at every step of a drag, by mouse, touch or key; that is
// read here. A field for a number reports what is typed, and can be dragged by its label.

const STEPS_A_PIXEL = 0.5;
const GROWTH = 1.008; // of the steps with every pixel, so that a long drag reaches a large number

/**
 * Calls `moved` with a name and a value whenever one of the controls shows another number.
 *
 * @param {() => Record<string, string>} controls name by Streamlit key
 * @param {(name: string, value: number) => void} moved
 * @param {AbortSignal} signal
 */
export function followControls(controls, moved, signal) {
  const nameOf = (/** @type {Element} */ control) => {
    const box = control.closest("[class*=st-key-]");
    const key = [...(box?.classList ?? [])].find((each) => each.startsWith("st-key-"))?.slice("st-key-".length);
    return key === undefined ? undefined : controls()[key];
  };
  const tell = (/** @type {Element} */ control, /** @type {number} */ value) => {
    const name = nameOf(control);
    if (name !== undefined && Number.isFinite(value)) moved(name, value);
  };
  const sliders = new MutationObserver((records) => {
    for (const { target } of records) {
      if (target instanceof HTMLInputElement && target.type === "range") tell(target, Number(target.value));
    }
  });
  sliders.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
  signal.addEventListener("abort", () => sliders.disconnect());
  const fields = (/** @type {Event} */ { target }) => {
    if (target instanceof HTMLInputElement && target.type === "number" && target.value) tell(target, Number(target.value));
  };
  document.addEventListener("input", fields, { signal });
  document.addEventListener("pointerdown", (event) => dragLabel(event, nameOf, signal), { signal });
}

/** Lets a drag on the label of a field for a number change the number. @param {PointerEvent} event @param {(label: Element) => string | undefined} nameOf @param {AbortSignal} signal */
function dragLabel(event, nameOf, signal) {
  const label = event.target instanceof Element ? event.target.closest("[data-testid=stNumberInput] label") : null;
  const field = label?.closest("[data-testid=stNumberInput]")?.querySelector("input");
  if (event.button !== 0 || !label || !field || field.disabled || nameOf(label) === undefined) return;
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
