"""The settings that are recorded: of every strategy the defaults and one that differs in each kind of parameter."""

from __future__ import annotations

OTHER_SETTINGS = {
    "structural": "alpha=0.3;threshold=standard_deviation;deviations=1.2;min_tokens=20;max_tokens=200;overlap=1",
    "percentile": "percentile=90;window=0;min_tokens=15;max_tokens=250;overlap=10;overlap_unit=tokens",
    "standard_deviation": "deviations=1.5;max_tokens=400;overlap=2",
    "interquartile": "iqr_factor=1;window=2;block=2;min_tokens=30",
    "gradient": "percentile=85;window=0;block=3",
    "changepoint": "alpha=0.6;fineness=-1;overlap=1",
    "changepoint_tree": "subtopics=4;max_tokens=300",
    "whole": "max_tokens=300;overlap=1",
    "fixed_size": "max_tokens=200;overlap=12;sentence_share=0.5",
    "sentence": "max_tokens=200;overlap=0",
    "recursive": "size=700;overlap=30;separators=markdown;min_tokens=10",
    "section": "max_tokens=200;level=2;overlap=1",
    "section_semantic": "deviations=1.5;window=1;level=1",
    "paragraph": "min_tokens=80;max_tokens=200;overlap=1",
    "semantic_boundary": "size=200;min_tokens=100;max_tokens=300",
    "heading": "level=1;min_tokens=40;max_tokens=400",
    "heading_limited": "level=2;max_tokens=200;overlap=1",
    "heading_paragraph": "level=2;min_tokens=60",
    "hierarchical": "size=250;overlap=10",
    "hierarchical_tree": "level=1;max_tokens=300",
    "markdown": "size=250;overlap=1",
    "html": "tags=h2;max_tokens=300",
    "json": "size=60;overlap=1",
    "code": "lines=12;overlap=2",
}
"""Beside the defaults, by the name of the strategy."""

PAPER = "structural:preset=reference"
"""The settings of the paper's program."""
