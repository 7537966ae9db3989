/**
 * Keeps the browser's history as a person made it: an entry for each page and each setting, which Back leads through.
 *
 * An address that the user reached by going back or forward is marked. Streamlit says so too, but in one message alone, and a message is dropped when the user is quick with the next
 * control. A mark in the address goes along with every message until the server has answered with an address of its
 * own. It must be there before Streamlit reads the address in its own listener of `popstate`, which was added first:
 * so it is set in the event before that one, where the browser has it (a capturing listener of the window is not
 * called before the others).
 *
 * And Streamlit makes two entries of a page that is opened. Through the menu they are its path, then what the server writes
 * behind it: until the user does something on the page, what the server writes completes the entry. Where the server opens
 * it, they are the new query behind the old path, then both: the second takes the place of the first.
 */

import { holdLinks } from "./links.js";

const MARK = "back";

const DEEDS = ["pointerdown", "keydown", "input", "change"];

let watching = false;
let isUntouched = true; // the page, since it was opened or returned to
let pushed = ""; // the query of the last entry, where that is of the same page

function mark() {
  isUntouched = true;
  const url = new URL(window.location.href);
  url.searchParams.set(MARK, Date.now().toString(36));
  window.history.replaceState(window.history.state, "", url);
}

function completeEntries() {
  const push = window.history.pushState.bind(window.history);
  window.history.pushState = (state, unused, url) => {
    const { pathname, search } = new URL(String(url ?? ""), window.location.href);
    const isSamePage = pathname === window.location.pathname;
    const isHalfOpened = !isSamePage && pushed === search && search === window.location.search;
    if (isHalfOpened || (isSamePage && isUntouched)) window.history.replaceState(state, unused, url);
    else push(state, unused, url);
    pushed = isSamePage && !isUntouched ? search : "";
    isUntouched ||= !isSamePage;
  };
  for (const deed of DEEDS) window.addEventListener(deed, () => (isUntouched = false), true);
}

export default function watch() {
  if (watching) return;
  watching = true;
  holdLinks();
  completeEntries();
  const navigation = /** @type {{ navigation?: EventTarget }} */ (/** @type {unknown} */ (window)).navigation;
  if (!navigation) window.addEventListener("popstate", mark, true);
  navigation?.addEventListener("currententrychange", (event) => {
    if (/** @type {{ navigationType?: string }} */ (event).navigationType === "traverse") mark();
  });
}
