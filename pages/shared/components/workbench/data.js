// The data of workbenches, kept where they find them. Draws nothing.

/** @import { Component } from "../base/dom.js" */
/** @import { WorkbenchDataBody, WorkbenchDataHead } from "../messages.js" */
import { takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { keepData } from "./kept_data.js";

/** @param {Component} component */
export default function ({ data, parentElement }) {
  takeNoRoom(parentElement);
  const { head, body } = /** @type {{head: WorkbenchDataHead, body: () => WorkbenchDataBody}} */ (unpack(data));
  keepData(head.source, body);
}
