// Messages from Python, as wire.py packs them.

/** @type {Record<string, Float32ArrayConstructor | Int32ArrayConstructor | Uint8ArrayConstructor>} */
const COLUMN_TYPES = { f4: Float32Array, i4: Int32Array, u1: Uint8Array };

/**
 * Reads a message. `body()` is parsed on demand, because most messages repeat a known content.
 *
 * @param {Uint8Array} bytes
 * @returns {{head: any, body: () => any}}
 */
export function unpack(bytes) {
  const aligned = bytes.slice(); // aligned, and independent of the message's buffer
  const view = new DataView(aligned.buffer, aligned.byteOffset);
  const headEnd = 8 + view.getUint32(0, true);
  const bodyEnd = headEnd + view.getUint32(4, true);
  const columns = bodyEnd + (-bodyEnd & 7);
  const decode = (/** @type {number} */ from, /** @type {number} */ to) => new TextDecoder().decode(aligned.subarray(from, to));
  const revive = (/** @type {string} */ _, /** @type {any} */ value) => {
    const reference = value?.$;
    if (!Array.isArray(reference)) return value;
    const [type, offset, length] = reference;
    return new COLUMN_TYPES[type](aligned.buffer, aligned.byteOffset + columns + offset, length);
  };
  return {
    head: JSON.parse(decode(8, headEnd)),
    body: () => JSON.parse(decode(headEnd, bodyEnd), revive),
  };
}
