// The height of a part of the app that takes what is left of the window.

const LEAST_HEIGHT = 420; // pixels in a low window

export class WindowFill {
  /** @param {HTMLElement} root @param {AbortSignal} signal ends it */
  constructor(root, signal) {
    this.root = root;
    window.addEventListener("resize", () => this.fill(), { signal });
  }

  fill() {
    const main = this.root.closest("[data-testid='stMain']") ?? document.querySelector("[data-testid='stMain']");
    const above = this.root.getBoundingClientRect().top + (main?.scrollTop ?? 0);
    const height = Math.max(Math.floor(window.innerHeight - Math.max(above, 0)) - 1, LEAST_HEIGHT);
    this.root.style.height = `${height}px`;
  }
}
