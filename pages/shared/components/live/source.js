// What the curves of a chart are made of, kept where the chart finds it. Draws nothing.

/** @import { Component } from "../base/dom.js" */
/** @import { LiveSource, LiveSourceHead } from "../messages.js" */
import { takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { keepSource } from "./sources.js";

/** @param {Component} component */
export default function ({ data, parentElement }) {
  takeNoRoom(parentElement);
  const { head, body } = /** @type {{head: LiveSourceHead, body: () => LiveSource}} */ (unpack(data));
  keepSource(head.source, body);
}
