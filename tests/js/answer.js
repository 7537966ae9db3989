// Answers questions of the Python tests, one JSON message a line: what the browser makes of a message or of events.

import { createInterface } from "node:readline";

import { unpack } from "../../pages/shared/components/base/wire.js";
import { Layout } from "../../chunking/web/text/layout.js";
import { toUtf16 } from "../../pages/shared/components/document_store/offsets.js";
import { cutChanges, nearestGaps, ribbonLevels } from "../../pages/shared/components/lanes/changes.js";
import { cutsOf } from "../../chunking/web/engine/cuts.js";
import { ladderFrom } from "../../chunking/web/engine/divisions.js";
import { admissible } from "../../chunking/web/engine/limits.js";
import { laneFrom, segmentationOf, shownSetting } from "../../chunking/standalone/app/lane.js";
import { fixed } from "../../chunking/standalone/app/numbers.js";
import { panelHtml } from "../../chunking/standalone/app/panel.js";
import { chunksHtml } from "../../chunking/standalone/app/reader.js";
import { SourceText, escaped } from "../../chunking/standalone/app/text.js";
import { reduced } from "../../pages/shared/components/review_desk/events.js";

const questions = {
  standalone({ page, lane, moved }) {
    const data = page.lanes[lane];
    const read = laneFrom(data);
    const move = (setting, [key, value]) => shownSetting(read, { ...setting, [key]: value }, key);
    const setting = data.setting && Object.entries(moved).reduce(move, data.setting);
    const found = segmentationOf(read, setting, page.reasons);
    const text = new SourceText(page.text);
    const html = chunksHtml(text, found.chunks, page.glyphs, read.curves !== null);
    const { fused, threshold } = found.curves ?? { fused: [], threshold: 0 };
    return { setting, chunks: found.chunks, html, fused: [...fused], threshold, exceeding: [...found.exceeding] };
  },
  panel({ page, lane, gap }) {
    const data = page.lanes[lane];
    const shown = { lane: laneFrom(data), text: new SourceText(page.text), setting: data.setting, glyphs: page.glyphs };
    return { html: panelHtml({ ...shown, found: segmentationOf(shown.lane, data.setting, page.reasons) }, gap) };
  },
  fixed: ({ values, decimals }) => ({ shown: values.map((value) => fixed(value, decimals)) }),
  escaped: ({ text }) => ({ html: escaped(text) }),
  levels: ({ votes, boundaries, voters, levels }) => ({ found: ribbonLevels(votes, boundaries, voters, levels) }),
  admissible: ({ setting }) => admissible(setting),
  changes({ before, after, gaps, tolerance }) {
    const nearest = nearestGaps(before, gaps);
    const { moved, appeared, gone } = cutChanges(nearest, nearestGaps(after, gaps), tolerance);
    return { moved: [...moved], appeared: [...appeared], gone: before.filter((_, at) => gone.has(nearest[at])) };
  },
  cuts({ semantic, structural, tokens, setting, divisions }) {
    const columns = Object.entries(tokens).map(([column, values]) => [column, Int32Array.from(values)]);
    const source = {
      semantic: Float64Array.from(semantic),
      structural: structural && Float64Array.from(structural),
      tokens: Object.fromEntries(columns),
      divisions: divisions && {
        ...divisions,
        alphas: ladderFrom({ ...divisions.alphas, gaps: Int32Array.from(divisions.alphas.gaps) }),
        levels: ladderFrom({ ...divisions.levels, gaps: Int32Array.from(divisions.levels.gaps) }),
      },
    };
    const found = cutsOf(source, setting);
    return { ...found, fused: [...found.fused], score: [...found.score] };
  },
  reduced({ rows }) {
    const { verdicts, votes, notes, complete, last } = reduced(rows);
    return { verdicts: [...verdicts], votes: [...votes], notes: [...notes], complete, last: last?.[0] ?? null };
  },
  laid({ bytes, text, edges }) {
    const body = unpack(Buffer.from(bytes, "base64")).body();
    const astral = Int32Array.from([...text].flatMap((character, at) => (character.length > 1 ? [at] : [])));
    const utf16 = (offsets) => toUtf16(Int32Array.from(offsets), astral);
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
