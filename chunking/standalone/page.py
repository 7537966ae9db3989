"""One self-contained HTML file of an inspection or a comparison: it needs no server, no network and no other file.

Before any script runs it is a report: curves, text, reasons and settings. Its script then computes other settings as
the library does. Nothing in it depends on the time: the same input gives the same bytes.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from chunking import export, web
from chunking.chunks import leaves
from chunking.comparison.report import Comparison
from chunking.rendering import has_layout, render
from chunking.report import html
from chunking.runtime.wording import plural
from chunking.standalone import contents, controls
from chunking.standalone.controls import divided
from chunking.standalone.data import document_data, edits_data, lane_data
from chunking.standalone.packing import as_json
from chunking.strategies import REGISTRY, Segmentation
from chunking.workspace import DocumentAnalysis

_NOTEBOOK_HEIGHT = 900
"""Pixels of the frame in a notebook."""

OUTPUT = "page.html"
"""Name of the file in the command that makes it again."""


@dataclass(frozen=True, eq=False)
class StandalonePage:
    """An inspection or a comparison of one document as an HTML file; the last value of a notebook's cell shows it.

    Attributes:
        workspace: the document with its measurements.
        comparison: one segmentation, or several.
        path: where a command finds the document.
    """

    workspace: DocumentAnalysis
    comparison: Comparison
    path: str

    @property
    def segmentations(self) -> tuple[Segmentation, ...]:
        """The result of each setting, in order."""
        return tuple(entry.segmentation for entry in self.comparison.entries)

    @cached_property
    def html(self) -> str:
        """The whole file."""
        title = f"{self.workspace.document.name}: {'chunks' if self._alone else 'comparison of chunks'}"
        rules = "".join((web.FOLDER / name).read_text(encoding="utf-8") for name in _STYLES)
        script = web.joined_script(web.FOLDER / "standalone" / "main.js")
        return html.page(title, self._body(), rules=rules, script=script)

    def save(self, path: str | Path) -> Path:
        """Write the file and return its path.

        Raises:
            ChunkscopeError: it cannot be written.
        """
        file = Path(path)
        html.check_path(file)
        html.write(file, self.html)
        return file

    def _repr_html_(self) -> str:
        """Return a frame for a notebook: the file cannot reach the notebook, nor anything else."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" title="Chunkscope" '
            f'style="width:100%;height:{_NOTEBOOK_HEIGHT}px;border:0"></iframe>'
        )

    @cached_property
    def _divided(self) -> list[tuple[Segmentation, ...]]:
        """The divisions that the page has in advance, of each segmentation."""
        return [divided(self.workspace, segmentation) for segmentation in self.segmentations]

    @property
    def _alone(self) -> bool:
        return len(self.comparison.entries) == 1

    @property
    def _titles(self) -> list[str]:
        entries = self.comparison.entries
        return [entry.title if self._alone else f"{at} · {entry.title}" for at, entry in enumerate(entries, 1)]

    def _body(self) -> Markup:
        first, compared = self.segmentations[0], self.comparison
        return html.render(
            "standalone.html",
            name=self.workspace.document.name,
            about=contents.about(self.workspace),
            setting=export.setting_text(first),
            count=plural(len(leaves(first.chunks)), "chunk"),
            rows=[] if self._alone else contents.lanes(compared, self._titles),
            end=max(len(self.workspace.document.text), 1),
            curves=contents.chart(first, compared.reference_gaps),
            chunks=contents.chunks(first, compared.offsets),
            sections=html.sections(self._sections()),
            data=Markup(as_json(self._data())),
        )

    def _sections(self) -> list[tuple[str, Markup]]:
        compared, titles, workspace = self.comparison, self._titles, self.workspace
        tables = [
            html.folded(title, contents.chunk_table(entry.segmentation))
            for title, entry in zip(titles, compared.entries, strict=True)
        ]
        return [
            ("Sizes in tokens", contents.sizes(workspace, compared, titles)),
            ("Agreement", contents.agreement(compared, titles)),
            ("Chunks of each strategy", html.NOTHING if self._alone else html.join(tables)),
            ("Notes", contents.notes(self.segmentations, workspace)),
            ("Settings", html.join(map(contents.parameters, compared.entries))),
            ("Document and versions", html.definitions(export.facts_of(workspace), facts=True)),
            ("Make it again", self._commands()),
        ]

    def _commands(self) -> Markup:
        tools, document = self.workspace.tools, self.workspace.document
        if self._alone:
            line = self._command(self.segmentations[0])
            return html.command(line, "command") if line else html.NOTHING
        settings = [entry.label for entry in self.comparison.entries if entry.kind != "yours"]
        line = export.compare_line(settings, tools, self.path, document) + f" --format html > {OUTPUT}"
        return html.command(line)

    def _command(self, segmentation: Segmentation) -> str:
        """Return the command that makes the page of one segmentation."""
        if segmentation.edits:
            return export.settings_line("inspect", self.path, "--output", OUTPUT)
        before, after = self._command_parts(segmentation)
        pairs = (f"-p {shlex.quote(pair)}" for pair in segmentation.params.pairs())
        return " ".join((before, *pairs, after)) if before else ""

    def _command_parts(self, segmentation: Segmentation) -> tuple[str, str]:
        if segmentation.strategy not in REGISTRY:
            return "", ""
        before, after = export.command_parts("inspect", segmentation, self.workspace.tools, self.path)
        return before, f"{after} --output {OUTPUT}"

    def _data(self) -> dict[str, Any]:
        entries = zip(self.segmentations, self._divided, self._titles, strict=True)
        document = self.workspace.document
        rendering = render(document) if has_layout(document) else None
        return document_data(self.workspace, self.comparison.reference, rendering) | {
            "edits": edits_data(self.workspace),
            "lanes": [
                lane_data(self.workspace, segmentation, divisions, title) | self._setting_data(segmentation)
                for segmentation, divisions, title in entries
            ],
        }

    def _setting_data(self, segmentation: Segmentation) -> dict[str, Any]:
        """Return what the script writes a moved setting with."""
        moved = {control.name for control in controls.controls(self.workspace, segmentation)}
        fixed = [pair for pair in segmentation.params.pairs() if pair.partition("=")[0] not in moved]
        defaults = {name: segmentation.params.lookup(name).default for name in moved}
        return {
            "strategy": segmentation.strategy,
            "fixed": fixed,
            "defaults": defaults,
            "command": self._command_parts(segmentation) if self._alone and not segmentation.edits else None,
        }


_STYLES = ("workbench/workbench.css", "standalone/standalone.css")
