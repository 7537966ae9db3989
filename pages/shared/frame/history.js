/**
 * Marks an address that the user reached by going back or forward in the browser's history.
 *
 * Streamlit says so too, but in one message alone, and a message is dropped when the user is quick with the next
 * control. A mark in the address goes along with every message until the server has answered with an address of its
 * own. It is set in the capturing phase, before Streamlit reads the address in its own listener.
 */

const MARK = "back";

export function marked(address, now) {
  const url = new URL(address);
  url.searchParams.set(MARK, now.toString(36));
  return url.toString();
}

function mark() {
  window.history.replaceState(window.history.state, "", marked(window.location.href, Date.now()));
}

export default function () {
  if (window.__chunkscopeHistory) return;
  window.__chunkscopeHistory = true;
  window.addEventListener("popstate", mark, true);
}
