// Figures in larger type, for a projector: what Plotly draws is sized in pixels and does not follow the page.

/** Enlarges the type and the margins of a layout, and its height where it has one. @param {any} layout @param {number} scale */
export function enlargeLayout(layout, scale) {
  if (scale === 1) return;
  enlargeType(layout, scale);
  layout.margin = enlargedMargin(layout.margin, scale);
  if (layout.height) layout.height *= scale;
}

/** @param {Record<string, number>} margin @param {number} scale */
export function enlargedMargin(margin, scale) {
  return Object.fromEntries(Object.entries(margin ?? {}).map(([side, width]) => [side, width * scale]));
}

/** A trace with thicker lines and larger marks. @param {any} trace @param {number} scale */
export function enlargedTrace(trace, scale) {
  if (scale === 1) return trace;
  const { line, marker } = trace;
  return {
    ...trace,
    ...(line?.width && { line: { ...line, width: line.width * scale } }),
    ...(typeof marker?.size === "number" && { marker: enlargedMark(marker, scale) }),
  };
}

/** @param {any} marker @param {number} scale */
function enlargedMark({ size, line, ...rest }, scale) {
  return { ...rest, size: size * scale, ...(line && { line: line.width ? { ...line, width: line.width * scale } : line }) };
}

/** @param {any} part of a layout @param {number} scale @param {boolean} [font] whether it is a font */
function enlargeType(part, scale, font = false) {
  for (const [name, value] of Object.entries(part ?? {})) {
    if (font && name === "size") part[name] = value * scale;
    else if (value !== null && typeof value === "object" && !ArrayBuffer.isView(value)) {
      enlargeType(value, scale, name.endsWith("font"));
    }
  }
}
