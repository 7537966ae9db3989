// The links of the menu, which wait a moment before they are followed.
//
// What a part of the page reports, or a popover that the same press closes, would otherwise reach Streamlit behind the
// request for another page: that leads back, or leaves the other page empty.

import { BUS } from "../components/base/bus.js";

const MENU = '[data-testid="stTopNavLink"], [data-testid="stSidebarNavLink"]';
const HELD_MS = 60; // after which what was reported is on its way

let isHolding = false;

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
    window.dispatchEvent(new Event(BUS.leave));
    setTimeout(() => link.click(), HELD_MS);
  }, true); // prettier-ignore
}
