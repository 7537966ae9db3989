// Follows Streamlit's own sliders while they are moved, before Python hears of it.
//
// A slider is a range input that says its value to screen readers at every step of a drag, by mouse, touch or key; that is
// read here while it has the focus, since Python moves sliders too.

/**
 * Calls `moved` with a name and a value whenever the user makes one of the sliders show another number.
 *
 * @param {() => Record<string, string>} sliders name by Streamlit key
 * @param {(name: string, value: number) => void} moved
 * @param {AbortSignal} signal
 */
export function followSliders(sliders, moved, signal) {
  const observer = new MutationObserver((records) => {
    for (const { target } of records) {
      if (!(target instanceof HTMLInputElement) || target.type !== "range" || target !== document.activeElement) continue;
      const name = sliders()[keyOf(target)];
      if (name !== undefined) moved(name, Number(target.value));
    }
  });
  observer.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
  signal.addEventListener("abort", () => observer.disconnect());
}

/** The Streamlit key of a control. @param {Element} control */
function keyOf(control) {
  const box = control.closest("[class*=st-key-]");
  return [...(box?.classList ?? [])].find((name) => name.startsWith("st-key-"))?.slice("st-key-".length) ?? "";
}
