// What a chart's curves are made of, kept where the chart finds it. Draws nothing.

/** @import { Component } from "../../base/dom.js" */
/** @import { LiveHead, LiveSource } from "../../messages.js" */
import { takeNoRoom } from "../../base/dom.js";
import { unpack } from "../../base/wire.js";
import { keepSource } from "./sources.js";

/** @param {Component} component */
export default function ({ data, parentElement }) {
  takeNoRoom(parentElement);
  const { head, body } = /** @type {{head: LiveHead & {content: string}, body: () => LiveSource}} */ (unpack(data));
  keepSource(head.chart, head.content, body);
}
