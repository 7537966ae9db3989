// The links of the menu, which wait a moment before they are followed.
//
// What a part of the page reports, or a popover that the same press closes, would otherwise reach Streamlit behind the
// request for another page: that leads back, or leaves the other page empty. A report that is on its way when the other
// page is requested may be dropped there, so its answer is waited for, but not for long.

import { BUS } from "../components/base/bus.js";

const MENU = '[data-testid="stTopNavLink"], [data-testid="stSidebarNavLink"]';
const HELD_MS = 60; // after which what was reported is on its way
const MOST_TURNS = 10; // after which the link is followed without the answer, each of HELD_MS

let isHolding = false;
let timer = 0;

/** Lets every part report what is due before a link of the menu is followed. */
export function holdLinks() {
  if (isHolding) return;
  isHolding = true;
  window.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest(MENU) : null;
    if (!(link instanceof HTMLElement) || !event.isTrusted || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    document.body.click(); // closes what is open
    follow(link);
  }, true); // prettier-ignore
}

/** Follows a link when all is reported; of several, the last one. @param {HTMLElement} link */
function follow(link, turn = 0) {
  const isReported = window.dispatchEvent(new Event(BUS.leave, { cancelable: true }));
  clearTimeout(timer);
  if (turn === MOST_TURNS || (turn && isReported)) link.click();
  else timer = window.setTimeout(() => follow(link, turn + 1), HELD_MS);
}
