// Elements of the page, themes, and the place where Streamlit mounts a component.

export function luminance(color) {
  const probe = window.document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = "#fff";
  probe.fillRect(0, 0, 1, 1);
  probe.fillStyle = color;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/** Sets the palette of a component by the background that Streamlit's theme gives it; returns the theme's name. */
export function applyTheme(root) {
  const background = getComputedStyle(root).getPropertyValue("--st-background-color").trim() || "#fff";
  if (root.dataset.csBackground !== background) {
    root.dataset.csBackground = background;
    root.dataset.csTheme = luminance(background) < 0.5 ? "dark" : "light";
  }
  return root.dataset.csTheme;
}

/** A copy of a figure with "role:<name>" replaced by colours. Typed arrays are passed on. */
export function colored(value, palette) {
  if (typeof value === "string") return value.startsWith("role:") ? palette(value.slice(5)) : value;
  if (Array.isArray(value)) return value.map((item) => colored(item, palette));
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, colored(item, palette)]));
}

export function element(tag, className, text) {
  const made = window.document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** What Streamlit calls at each update: one object of a class for each place it is mounted in, until it really goes. */
export function mounted(Part) {
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
