// A part of the app that takes what is left of the window.

/** @import { Component } from "../base/dom.js" */
/** @import { View } from "./data_part.js" */
import { DataPart } from "./data_part.js";

const LEAST_HEIGHT = 420; // pixels in a low window

/**
 * @template {View} Shown
 * @template Head
 * @template Data
 * @extends {DataPart<Shown, Head, Data>}
 */
export class WindowPart extends DataPart {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent);
    window.addEventListener("resize", () => this.fill(), { signal: this.listening.signal });
  }

  /** @param {Component} component */
  update(component) {
    this.fill();
    super.update(component);
  }

  fill() {
    const main = this.root.closest("[data-testid='stMain']") ?? document.querySelector("[data-testid='stMain']");
    const above = this.root.getBoundingClientRect().top + (main?.scrollTop ?? 0);
    const height = Math.max(Math.floor(window.innerHeight - Math.max(above, 0)) - 1, LEAST_HEIGHT);
    this.root.style.height = `${height}px`;
  }
}
