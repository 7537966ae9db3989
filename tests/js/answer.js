// Answers questions of the Python tests, one JSON message a line: what the browser makes of a message or of events.

import { createInterface } from "node:readline";

import { unpack } from "../../pages/shared/components/base/wire.js";
import { Layout } from "../../chunking/web/text/layout.js";
import { justBelow, sharesBelow } from "../../chunking/web/tuning/flip_chart.js";
import { SettingsMap } from "../../chunking/web/tuning/settings_map.js";
import { admissible } from "../../chunking/web/engine/limits.js";
import { wholeNumbers } from "../../chunking/web/base/packed.js";
import { fixed } from "../../chunking/web/engine/numbers.js";
import { SourceText } from "../../chunking/web/text/source_text.js";
import { Comparison } from "../../chunking/web/workbench/comparison.js";
import { EncoderLimit } from "../../chunking/web/workbench/encoder_limit.js";
import { contributionRows, numberRows } from "../../chunking/web/workbench/explanation.js";
import { alphaBands, amountFlip } from "../../chunking/web/workbench/flips.js";
import { Picture, averagesOf } from "../../chunking/web/workbench/picture.js";
import { FEATURE_NAMES, verdictAt } from "../../chunking/web/workbench/words.js";
import { WorkbenchState } from "../../chunking/web/workbench/workbench_state.js";
import { reduced } from "../../pages/shared/components/review_desk/events.js";

/** A document and one of its strategies, as a page opens them. */
function read(page, lane) {
  const { source, models } = new WorkbenchState(page);
  return { source, model: models[lane] };
}

const questions = {
  segmentation({ page, lane, moved }) {
    const { source, model } = read(page, lane);
    const move = (setting, [key, value]) => model.shownSetting({ ...setting, [key]: value }, key);
    const setting = model.setting && Object.entries(moved).reduce(move, model.setting);
    const { chunks: shown, curves, status } = model.at(setting);
    const chunks = shown.map(({ parts: _, ...chunk }) => chunk);
    const texts = chunks.map(({ start, end }) => source.slice(start, end));
    const paths = chunks.map(({ start, end }) => source.path(start, end));
    const { score, fused, threshold } = curves ?? { score: [], fused: [], threshold: 0 };
    const exceeding = Array.from(score.keys()).filter((gap) => score[gap] > threshold);
    return { setting, chunks, texts, paths, fused: [...fused], threshold, exceeding, status: [...status] };
  },
  explanation({ page, lane, gap }) {
    const { source, model } = read(page, lane);
    const picture = new Picture(source, model, model.setting, null, averagesOf(model));
    const { curves, setting } = picture;
    const { features, scales } = model.curves;
    const tables = [[features, curves.structural?.[gap]], [scales, curves.semantic[gap]]].filter(([table]) => table);
    return {
      rows: numberRows(picture, curves, setting, gap),
      contributions: tables.flatMap(([table, distance]) => contributionRows(table, gap, distance)),
      verdict: verdictAt(picture, gap),
      bands: alphaBands(curves, setting, gap),
      flip: amountFlip(curves.score, setting, gap),
    };
  },
  unread({ page }) {
    const { model } = read(page, 0);
    const limit = new EncoderLimit(page.limit);
    return { unread: [...limit.unreadFrom(model.at(model.setting).chunks)] };
  },
  comparison({ page }) {
    const models = page.lanes.map((_, lane) => read(page, lane).model);
    const { source } = read(page, 0);
    const comparison = new Comparison(source, wholeNumbers(page.people.gaps), page.people.complete);
    comparison.open(models.map((model) => model.at(model.setting)));
    const lanes = models.map((_, lane) => ({ score: comparison.score(lane), ...comparison.differences(lane), ...comparison.peculiarities(lane) }));
    return { lanes, votes: [...comparison.votes], disputed: comparison.disputed(models.map((_, lane) => lane)), best: comparison.best };
  },
  settings({ page, judge }) {
    const { model } = read(page, 0);
    const { semantic, structural } = model.curves;
    const source = { semantic, structural, tokens: model.places.gapGround.tokens, people: new Set(wholeNumbers(page.people.gaps)), kept: model.source.held.kept };
    const map = new SettingsMap(source, judge, 30).complete();
    return { rows: map.rows.map((row) => [...row]), counts: map.counts.map((row) => [...row]), shares: map.shares, best: map.best };
  },
  just_below: ({ fused, gap }) => ({ percentile: justBelow(sharesBelow(Float64Array.from(fused))[gap]) }),
  features: () => ({ names: FEATURE_NAMES }),
  fixed: ({ values, decimals }) => ({ shown: values.map((value) => fixed(value, decimals)) }),
  admissible: ({ setting }) => admissible(setting),
  reduced({ rows }) {
    const { verdicts, votes, notes, complete, last } = reduced(rows);
    return { verdicts: [...verdicts], votes: [...votes], notes: [...notes], complete, last: last?.[0] ?? null };
  },
  laid({ bytes, text, edges }) {
    const body = unpack(Buffer.from(bytes, "base64")).body();
    const none = { t: "i1", b: "" };
    const source = new SourceText({ text, offsets: none, spans: none, headings: { starts: none, paths: [] } });
    const utf16 = (offsets) => Int32Array.from(offsets, (offset) => source.unit(offset));
    const layout = new Layout(body, utf16);
    const places = utf16(edges);
    const parts = Array.from(places.slice(1), (to, part) => {
      let shown = "";
      const opened = [];
      layout.walk(places[part], to, {
        open: (kind) => opened.push(kind),
        close: () => opened.pop(),
        text: (from, end, instead) => (shown += instead ?? text.slice(from, end)),
      });
      return shown + opened.join();
    });
    return { parts };
  },
  unpack({ bytes }) {
    const { head, body } = unpack(Buffer.from(bytes, "base64"));
    const listed = (_, value) => (ArrayBuffer.isView(value) ? [value.constructor.name, ...value] : value);
    return { head, body: JSON.parse(JSON.stringify(body(), listed)) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { name, ...given } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await questions[name](given))}\n`);
}
