// The basis of long texts: a scrolled frame whose parts are built as one comes near them.

/** @import { Component } from "./dom.js" */
import { BUS, listen, shared } from "./bus.js";
import { element } from "./dom.js";
import { everySecond } from "./numbers.js";

const NEAR = "900px 0px"; // how far outside the view a part is built
const SETTLE_FRAMES = 12;
const IDLE_MS = 8;
const IDLE_TIMEOUT_MS = 300;

export const stillMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Runs when the browser has time, or after a while where it never has. @param {(remaining: () => number) => void} run */
function whenIdle(run) {
  const timed = () => {
    const end = performance.now() + IDLE_MS;
    run(() => end - performance.now());
  };
  if (window.requestIdleCallback) window.requestIdleCallback(timed, { timeout: IDLE_TIMEOUT_MS });
  else setTimeout(timed, 30);
}

/**
 * A text in a scrolled frame. `Part` is what is built at once.
 *
 * @template {{height: string}} Body
 * @template {{box: HTMLElement}} Part
 */
export class TextView {
  /** @type {Component} */ component;
  /** @type {Body} */ data;
  /** @type {string | null} */ document = null;
  /** @type {string | null} */ content = null;
  /** @type {import("./bus.js").StoredDocument | undefined} */ stored;
  /** @type {number | null} */ selected = null;
  /** @type {Part[]} */ parts = [];
  /** @type {Int32Array} */ sentenceStarts = new Int32Array(0);
  /** @type {Int32Array} */ sentenceEnds = new Int32Array(0);
  /** @type {{top: () => number | null, wanted: number, frames: number} | null} */ hold = null;
  builds = 0;
  frame = 0;
  abort = new AbortController();
  scroller = element("div", "cs-scroller");
  list = element("div", "cs-list");

  /** @param {HTMLElement} parent @param {string} className @param {string} label */
  constructor(parent, className, label) {
    this.root = element("div", className);
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", label);
    parent.append(this.root);
    /** @type {WeakMap<Element, Part>} */
    this.partOf = new WeakMap();
    this.near = new IntersectionObserver((entries) => this.approached(entries), { root: this.scroller, rootMargin: NEAR });
    const { signal } = this.abort;
    // The store announces a document that came later than what is shown of it.
    window.addEventListener(BUS.document, (event) => {
      if (/** @type {CustomEvent} */ (event).detail.document === this.document) this.rebuildSoon();
    }, { signal });
    listen(BUS.select, this, signal, ({ gap }) => this.select(gap));
  }

  // ---- what a text defines

  /** The key under which choices in the document are shared. */
  get topic() {
    return this.document;
  }

  rebuild() {}

  /** Builds a part, or brings it up to date. @param {Part} _part */
  fill(_part) {}

  /** Whether a part is built and up to date. @param {Part} _part */
  isFilled(_part) {
    return true;
  }

  /** Shows a choice. @param {number | null} _choice */
  select(_choice) {}

  // ---- messages and building

  /**
   * Takes a message; the text is rebuilt after smaller parts of the page have been painted.
   *
   * @param {Component} component
   * @param {{document: string, content: string}} head
   * @param {() => Body} body
   * @returns {boolean} whether another document is shown
   */
  take(component, head, body) {
    this.component = component;
    const moved = head.document !== this.document;
    this.document = head.document;
    if (moved || head.content !== this.content) {
      this.content = head.content;
      this.data = body();
      this.scroller.style.height = this.data.height;
      this.rebuildSoon();
    }
    return moved;
  }

  rebuildSoon() {
    const build = ++this.builds;
    requestAnimationFrame(() => setTimeout(() => build === this.builds && this.rebuild(), 0));
  }

  /** Looks the document up. @returns {{stored: import("./bus.js").StoredDocument, same: boolean} | null} null while the store does not have it */
  open() {
    const stored = shared.documents.get(this.document);
    if (!stored) return null;
    const same = this.stored === stored;
    if (!same) {
      this.stored = stored;
      this.sentenceStarts = everySecond(stored.spans, 0);
      this.sentenceEnds = everySecond(stored.spans, 1);
      this.scroller.scrollTop = 0;
    }
    return { stored, same };
  }

  /** Whether what is built belongs to the document that is shown; if not, rebuild() does the rest. */
  isUpToDate() {
    return this.stored !== undefined && this.stored === shared.documents.get(this.document);
  }

  painted() {
    this.root.dataset.csContent = this.content ?? "";
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  /** @param {Part} part */
  observe(part) {
    this.partOf.set(part.box, part);
    this.near.observe(part.box);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  approached(entries) {
    for (const { target, isIntersecting } of entries) {
      const part = this.partOf.get(target);
      if (part && isIntersecting) this.fill(part);
    }
    this.keepPlace();
  }

  /** Fills what is left, so that the browser's own search finds everything. @param {number} [build] @param {number} [from] */
  fillWhenIdle(build = this.builds, from = 0) {
    whenIdle((remaining) => {
      if (build !== this.builds) return;
      let index = from;
      do {
        while (index < this.parts.length && this.isFilled(this.parts[index])) index++;
        if (index >= this.parts.length) return;
        this.fill(this.parts[index]);
      } while (remaining() > 0);
      this.keepPlace();
      this.fillWhenIdle(build, index);
    });
  }

  // ---- staying and going

  /**
   * Scrolls until something stands `wanted` pixels below the top, and keeps it there for a while: what comes into view
   * on the way turns out higher or lower than estimated. The user's own scrolling ends it.
   *
   * @param {() => number | null} top
   * @param {number} wanted
   */
  settle(top, wanted) {
    const hold = { top, wanted, frames: SETTLE_FRAMES };
    this.hold = hold;
    const step = () => {
      if (this.hold !== hold) return;
      this.keepPlace();
      if (--hold.frames > 0) requestAnimationFrame(step);
      else this.letGo(); // from here on the browser's own scroll anchoring does it
    };
    step();
  }

  keepPlace() {
    const top = this.hold?.top() ?? null;
    if (top === null || !this.hold) return;
    const moved = top - this.hold.wanted;
    if (Math.abs(moved) >= 1) this.scroller.scrollTop += moved;
  }

  letGo() {
    this.hold = null;
  }

  /** Whether the user has marked text, to copy it. */
  isCopying() {
    const tree = /** @type {Document} */ (this.root.getRootNode());
    const selection = tree.getSelection?.() ?? window.getSelection();
    return selection !== null && !selection.isCollapsed;
  }

  destroy() {
    this.builds++;
    this.letGo();
    this.abort.abort();
    this.near.disconnect();
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }
}
