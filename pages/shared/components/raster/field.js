// The field store: keeps what a raster is painted from where the pictures find it, so that a slider move sends none of it.

/** @import { Component } from "../base/dom.js" */
import { takeNoRoom } from "../base/dom.js";
import { unpack } from "../base/wire.js";
import { keepField } from "./fields.js";

/** @param {Component} component */
export default function ({ data, parentElement }) {
  const { head, body } = unpack(data);
  takeNoRoom(parentElement);
  keepField(head.field, body);
}
