// Items of a topic in a storage of the browser; one that refuses (a private window, a full disk) is as good as empty.

/**
 * The items of a topic, by name.
 *
 * @param {Storage} storage
 * @param {string} topic
 */
export function readItems(storage, topic) {
  /** @type {Record<string, string>} */ const items = {};
  const start = `${topic}.`;
  for (let place = 0; place < storage.length; place++) {
    const name = storage.key(place);
    if (name?.startsWith(start)) items[name.slice(start.length)] = storage.getItem(name) ?? "";
  }
  return items;
}

/**
 * Writes the items that differ from those written before; an empty text removes one.
 *
 * @param {Storage} storage
 * @param {string} topic
 * @param {Record<string, string>} items
 * @param {Record<string, string>} before
 */
export function writeItems(storage, topic, items, before) {
  for (const [name, text] of Object.entries(items)) {
    if (before[name] === text) continue;
    if (text) storage.setItem(`${topic}.${name}`, text);
    else storage.removeItem(`${topic}.${name}`);
  }
}
