// The page of one document that needs no server. What it shows before this runs is complete.

/** @import { Setting } from "../engine/cuts.js" */
/** @import { StrategyData } from "../workbench/segmentation.js" */
/** @import { WorkbenchData } from "../workbench/workbench_state.js" */
import { Workbench } from "../workbench/workbench.js";

/** What a moved setting is written with. @typedef {StrategyData & {strategy: string, fixed: string[], defaults: Record<string, number>, command: [string, string] | null}} PageLane */

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Omit<WorkbenchData, "lanes"> & {lanes: PageLane[]}} */
const data = JSON.parse(byId("data").textContent ?? "");
const darkness = matchMedia("(prefers-color-scheme: dark)");
const root = byId("workbench");
root.classList.toggle("wb-dark", darkness.matches);
document.documentElement.classList.add("scripted");
const workbench = new Workbench(root, data, { onSetting: writeSetting });
darkness.addEventListener("change", () => {
  root.classList.toggle("wb-dark", darkness.matches);
  workbench.showTheme();
});

/** Writes a setting in one line, and the command that makes its page. @param {Setting | null} setting @param {number} lane */
function writeSetting(setting, lane) {
  const { strategy, fixed, defaults, command, controls } = data.lanes[lane];
  const moved = controls
    .map(({ name, key }) => ({ name, value: Number(setting?.[/** @type {keyof Setting} */ (key)] ?? 0) }))
    .filter(({ name, value }) => value !== defaults[name])
    .map(({ name, value }) => `${name}=${value}`);
  const values = [...fixed, ...moved];
  byId("setting").textContent = values.length ? `${strategy}:${values.join(";")}` : strategy;
  if (command) byId("command").textContent = [command[0], ...values.map((value) => `-p ${quoted(value)}`), command[1]].join(" ");
}

/** A word for a shell. @param {string} word */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}
