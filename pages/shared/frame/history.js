/**
 * Marks an address that the user reached by going back or forward in the browser's history.
 *
 * Streamlit says so too, but in one message alone, and a message is dropped when the user is quick with the next
 * control. A mark in the address goes along with every message until the server has answered with an address of its
 * own. It is set in the capturing phase, before Streamlit reads the address in its own listener.
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
  window.addEventListener("popstate", mark, true);
}
