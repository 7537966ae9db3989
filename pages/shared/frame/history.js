/**
 * Marks an address that the user reached by going back or forward in the browser's history.
 *
 * Streamlit says so too, but in one message alone, and a message is dropped when the user is quick with the next
 * control. A mark in the address goes along with every message until the server has answered with an address of its
 * own. It must be there before Streamlit reads the address in its own listener of `popstate`, which was added first:
 * so it is set in the event before that one, where the browser has it (a capturing listener of the window is not
 * called before the others).
 */

const MARK = "back";

let watching = false;

function mark() {
  const url = new URL(window.location.href);
  url.searchParams.set(MARK, Date.now().toString(36));
  window.history.replaceState(window.history.state, "", url);
}

export default function watch() {
  if (watching) return;
  watching = true;
  const navigation = /** @type {{ navigation?: EventTarget }} */ (/** @type {unknown} */ (window)).navigation;
  if (!navigation) window.addEventListener("popstate", mark, true);
  navigation?.addEventListener("currententrychange", (event) => {
    if (/** @type {{ navigationType?: string }} */ (event).navigationType === "traverse") mark();
  });
}
