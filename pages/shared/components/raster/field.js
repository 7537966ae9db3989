// The field store: keeps what a raster is painted from where the pictures find it, so that a slider move sends none of it.

import { unpack } from "../base/wire.js";
import { keepField } from "./fields.js";

export default function ({ data, parentElement }) {
  const { head, body } = unpack(data);
  // An element without content still takes its place in the page's column, with the gap around it.
  parentElement.closest?.("[data-testid='stElementContainer']")?.style.setProperty("display", "none");
  keepField(head.field, body);
}
