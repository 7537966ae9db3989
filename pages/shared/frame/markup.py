"""HTML made in Python: the one place where text is escaped, and the style sheet of its classes."""

from __future__ import annotations

import html
from dataclasses import asdict
from typing import Literal

import streamlit as st

from chunking import glossary
from chunking.report.theme import PALETTES


def escape(text: str) -> str:
    """Return any text as HTML text or attribute value; NUL, which HTML cannot contain, becomes its symbol."""
    return html.escape(text.replace("\0", "␀"), quote=True)


def _colors() -> str:
    light, dark = asdict(PALETTES["light"]), asdict(PALETTES["dark"])
    return " ".join(f"--cs-{role}: light-dark({light[role]}, {dark[role]});" for role in light)


def text_color(role: str) -> str:
    """Return the CSS colour for words in the colour of a role, mixed with the text's so that they can be read."""
    return f"color-mix(in srgb, var(--cs-{role}) 70%, var(--cs-text))"


TEXT_HEIGHT = "max(24rem, calc(100vh - 30rem))"
"""Height of the text and of the panel beside it: the window below the chart, if that is high enough."""

# Before its script has come, a component has no height, or that of a stand-in: what draws gets its room from the start,
# and what draws nothing gets none, so that what follows does not jump.
_CSS = """
[data-testid="stMainBlockContainer"] { padding: 2.4rem 2rem 1rem; max-width: none; }
[data-testid="stHeader"] { height: 2.4rem; min-height: 0; }
[data-testid="stLayoutWrapper"]:has(> [data-testid="stHorizontalBlock"]) { margin: 0; }
@media (min-width: 769px) { [data-testid="stApp"]:not([data-test-script-state="notRunning"])
  [data-testid="stAppViewContainer"]:not(:has([data-testid="stSidebar"])) { padding-left: 300px; } }
[data-testid="stSidebarHeader"] { height: 2.2rem; min-height: 0; margin: 0; }
[data-testid="stSidebarUserContent"] { padding-bottom: 1.5rem; }
[data-testid="stSidebar"] [data-testid="stVerticalBlock"] { gap: 0.55rem; }
[data-testid="stMain"] [data-testid="stVerticalBlock"] { gap: 0.7rem; }
button[kind="primary"], button[kind="primary"] p { color: light-dark(#ffffff, #10141b); }
.st-key-_history_frame, .st-key-_number_frame, .st-key-_with_sidebar { display: none; }
.st-key-_stand_in { position: fixed; right: 1.2rem; bottom: 0.8rem; z-index: 99; width: auto; max-width: 42rem;
  padding: 0.15rem 0.9rem; border: 1px solid light-dark(#c9ced6, #3b4554); border-radius: 0.5rem;
  background: light-dark(#ffffff, #171c24); box-shadow: 0 2px 10px rgb(0 0 0 / 0.18); }
.st-key-_stand_in p { margin: 0; }
.st-key-document-store, .st-key-_learn_store, .st-key-_glossary { display: none; }
[data-testid="stSidebar"] :is([class*="st-key-"]:not([class*="st-key-_"]), .st-key-_add_strategy,
  [class*="st-key-_lane_"]:not([class*="_preset_"], .st-key-_lane_up, .st-key-_lane_down, .st-key-_lane_remove)
  ):has([data-testid="stSkeleton"]) { min-height: 68px; }
[data-testid="stSidebar"] :is(.st-key-measured, .st-key-layout, .st-key-granularity, .st-key-lang)[class]:has(
  [data-testid="stSkeleton"]) { min-height: 60px; }
.st-key-structural_overlap_unit.st-key-structural_overlap_unit:has([data-testid="stSkeleton"]) { min-height: 40px; }
[data-testid="stMain"] :is(.st-key-show, .st-key-tune, .st-key-chapter) [data-testid="stSkeleton"] { height: 32px; }
.st-key-_pin [data-testid="stSkeleton"] { height: 22px; }
.st-key-_desk { min-height: calc(100vh - 18rem); }
.st-key-_learn_head { min-height: 91px; }
.cs { %s font-size: 0.875rem; line-height: 1.45; color: var(--cs-text); }
.cs p { font-size: inherit; margin: 0.4rem 0; }
.cs * { box-sizing: border-box; }
.cs-term, .cs-figures [data-term] span:last-child { border-bottom: 1px dotted currentColor; }
.cs [data-term] { cursor: help; }
.cs [data-term]:focus-visible { outline: 2px solid var(--st-primary-color, currentColor); outline-offset: 1px; }
.cs-definition { position: fixed; z-index: 1000000; max-width: min(22rem, 92vw); padding: 0.4rem 0.7rem;
  border-radius: 0.4rem; font-size: 0.82rem; line-height: 1.4; pointer-events: none;
  background: light-dark(#0e1522, #e8ebf1); color: light-dark(#ffffff, #10141b); }
.cs-definition[hidden] { display: none; }
.cs-change { min-height: 1.3rem; }
:is(.st-key-_pin_row, .st-key-_pinned) button { min-height: 0; padding-block: 0; }
.cs-figures { display: flex; flex-wrap: wrap; gap: 0.35rem 1.6rem; align-items: baseline; }
.cs-figures div { white-space: nowrap; }
.cs-figures b { font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.cs-figures span { color: var(--cs-muted); margin: 0 0.3rem; }
.cs-figures span:first-child { margin-left: 0; }
.cs-figures div span:last-child { margin-right: 0; }
.cs-kind { font-size: 0.78rem; margin-left: 0.5rem; }
.cs-quiet { color: var(--cs-muted); }
.cs-verdict { display: flex; gap: 0.6rem; align-items: baseline; margin-bottom: 0.4rem; }
.cs-verdict b { font-size: 1.05rem; }
.cs-tag { border-radius: 0.6rem; padding: 0.05rem 0.55rem; border: 1px solid currentColor; font-size: 0.8rem; }
.cs-side { border-left: 3px solid var(--cs-grid); padding: 0.1rem 0 0.1rem 0.6rem; margin: 0.25rem 0;
  max-height: 7.5rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.cs-side.cs-fixed { font-family: var(--st-code-font, monospace); font-size: 0.8rem; white-space: pre; }
.cs-ledger { height: %s; overflow: auto; padding: 0.7rem 0.9rem; border: 1px solid var(--cs-grid);
  border-radius: 0.4rem; }
.cs-problem { border-left: 4px solid var(--cs-structural); padding: 0.35rem 0.8rem; border-radius: 0.25rem;
  background: color-mix(in srgb, var(--cs-structural) 12%%, transparent); overflow-wrap: anywhere; }
.cs-empty { border-left: 4px solid var(--cs-semantic); padding: 0.35rem 0.8rem; border-radius: 0.25rem;
  background: color-mix(in srgb, var(--cs-semantic) 10%%, transparent); overflow-wrap: anywhere; }
.cs-done { border-left: 4px solid var(--cs-gold); padding: 0.35rem 0.8rem; border-radius: 0.25rem;
  background: color-mix(in srgb, var(--cs-gold) 10%%, transparent); overflow-wrap: anywhere; }
.cs-place { border-top: 2px dashed var(--cs-selected); margin: 0.3rem 0; }
.cs table { width: 100%%; border-collapse: collapse; margin-top: 0.5rem; font-variant-numeric: tabular-nums; }
.cs th { text-align: right; font-weight: 500; color: var(--cs-muted); font-size: 0.8rem; padding: 0 0 0 0.45rem; }
.cs td { text-align: right; padding: 0.12rem 0 0.12rem 0.45rem; border-top: 1px solid var(--cs-grid); }
.cs th:first-child, .cs td:first-child { text-align: left; padding-left: 0; }
.cs td.cs-bar { width: 24%%; padding-left: 0.7rem; }
.cs-bar i { display: block; height: 0.55rem; border-radius: 2px; background: var(--cs-structural); }
.cs-bar i.cs-meaning { background: var(--cs-semantic); }
.cs-bar i.cs-minus { background: var(--cs-muted); }
.cs-scale { position: relative; height: 1.1rem; margin: 0.5rem 0 0.2rem; border-radius: 3px;
  background: var(--cs-grid); overflow: hidden; }
.cs-scale i { position: absolute; top: 0; bottom: 0; left: 0; }
.cs-scale u { position: absolute; top: 0; bottom: 0; width: 3px; background: var(--cs-threshold);
  box-shadow: 0 0 0 1.5px var(--cs-surface); }
.cs-about summary { cursor: pointer; list-style: none; overflow: hidden; display: -webkit-box; -webkit-line-clamp: 2;
  -webkit-box-orient: vertical; }
.cs-about summary::-webkit-details-marker { display: none; }
.cs-about[open] summary { -webkit-line-clamp: none; display: block; margin-bottom: 0.3rem; }
.cs-status { display: flex; flex-wrap: wrap; gap: 0 0.3rem; align-items: center; min-height: 2.3rem; }
.cs-aside summary { cursor: pointer; color: var(--cs-muted); }
.cs-aside div { max-height: 16rem; overflow: auto; margin: 0.3rem 0 0.3rem 1rem; }
.cs-aside p { margin: 0.1rem 0; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.cs-aside small { color: var(--cs-muted); margin-right: 0.5rem; }
.cs-wide { overflow-x: auto; }
[data-testid="stPopoverBody"] .cs { --cs-text: currentColor;
  --cs-muted: color-mix(in srgb, currentColor 68%%, transparent);
  --cs-grid: color-mix(in srgb, currentColor 18%%, transparent); }
.cs-advice { width: min(40rem, 78vw); max-height: 52vh; overflow: auto; overflow-wrap: anywhere; }
.cs-advised { font-size: 1.05rem; font-weight: 600; }
.cs-advice h5 { font-size: 0.875rem; font-weight: 600; margin: 0.9rem 0 0; padding: 0; color: var(--cs-text); }
.cs-advice p { margin: 0.15rem 0; }
.cs-advice details summary { cursor: pointer; color: var(--cs-muted); margin-top: 0.3rem; }
.cs-advice th, .cs-advice td { padding-left: 0.8rem; overflow-wrap: normal; white-space: nowrap; font-size: 0.8rem; }
.cs-advice th:first-child, .cs-advice td:first-child { padding-left: 0; }
.cs table.cs-matrix { width: auto; }
.cs table.cs-matrix th, .cs table.cs-outcome th { font-weight: 500; padding: 0.15rem 0.6rem 0.15rem 0; }
.cs table.cs-matrix tr:first-child th { text-align: center; padding-right: 0; }
.cs table.cs-matrix tr > th:first-child { text-align: left; color: var(--cs-text); max-width: 22rem; }
.cs table.cs-matrix td { text-align: center; min-width: 4.2rem; padding: 0.25rem 0.4rem;
  border: 2px solid var(--cs-surface);
  background: color-mix(in srgb, var(--cs-semantic) calc(var(--cs-share) * 0.55), var(--cs-surface)); }
.cs table.cs-matrix td.cs-same { background: none; }
.cs table.cs-matrix td b { display: block; font-weight: 600; }
.cs table.cs-matrix td span { font-size: 0.75rem; color: var(--cs-text); opacity: 0.75; }
.cs table.cs-outcome td, .cs table.cs-outcome th { padding: 0.2rem 0.45rem; text-align: right; white-space: nowrap; }
.cs table.cs-outcome th[colspan] { text-align: center; border-bottom: 1px solid var(--cs-grid); }
.cs table.cs-outcome th.cs-lane { text-align: left; white-space: normal; min-width: 8.5rem; color: var(--cs-text); }
.cs table.cs-outcome td:first-child { text-align: right; }
.cs table.cs-outcome small { color: var(--cs-muted); }
.cs-strip { display: flex; align-items: flex-end; gap: 1px; height: 1.9rem; margin: 0.15rem 0 0.6rem;
  border-bottom: 1px solid var(--cs-muted); border-top: 1px dashed var(--cs-grid); }
.cs-strip i { flex: 1 1 0; min-width: 0; background: var(--cs-structural); }
.cs-strip i.cs-full { background: var(--cs-semantic); }
.cs-key { display: inline-block; width: 0.7rem; height: 0.7rem; background: var(--cs-semantic); }
.cs-key.cs-part { background: var(--cs-structural); }
.cs td.cs-flag { color: var(--cs-selected); font-weight: 600; }
[data-testid="stButtonGroup"] > div { flex-wrap: wrap; }
[data-testid="stColumn"]:has(> * > :only-child [data-testid="stPopover"]) { min-width: max-content; }
[data-testid="stMain"] [data-testid="stPopover"] button p { white-space: normal; }
@media (max-width: 640px) { .cs-figures div { white-space: normal; } }
@media (max-width: 900px) { .st-key-_head_actions { flex-direction: row; }
  .st-key-_head_actions > * { flex: 1 1 auto; min-width: 0; }
  [data-testid="stMain"] .st-key-_head_actions [data-testid="stPopover"] button p { white-space: nowrap; } }
.cs-printed { display: none; }
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stPopover"], .st-key-_stand_in,
  :is(.st-key-_pin_row, .st-key-_pinned) button { display: none !important; }
  .cs-printed { display: block; }
  .cs-ledger { height: auto; overflow: visible; }
}
.cs-learn-qr { width: min(100%%, 26rem); border-radius: 0.4rem; }
[data-testid="stLayoutWrapper"]:has(> .st-key-_learn_chapter) { container-type: inline-size; }
[data-testid="stMain"] .st-key-_learn_chapter { display: grid; gap: 0.7rem 2.5rem;
  grid-template-columns: minmax(0, 1fr); }
@container (min-width: 52rem) {
  [data-testid="stMain"] .st-key-_learn_chapter { grid: auto 1fr / minmax(0, 2fr) minmax(0, 3fr); }
  .st-key-_learn_chapter > :has(> .st-key-_learn_stage) { grid-area: 1 / 2 / span 2; }
}
@container (min-width: 88rem) {
  [data-testid="stMain"] .st-key-_learn_chapter { grid-template-columns: minmax(0, 1fr) minmax(0, 3fr); }
  [data-testid="stMain"] .st-key-_learn_stage { display: grid; gap: 2.5rem;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
}
.cs-learn-title h2 { padding: 0.3rem 0 0; }
.cs-learn-text { font-size: 1rem; max-width: 40rem; }
.cs-learn-table { max-height: 20rem; overflow: auto; margin-top: 0.5rem; }
.cs-learn-table td:last-child, .cs-learn-table th:last-child { text-align: left; padding-left: 0.8rem; }
.cs-learn-table td.cs-bar, .cs-learn-table .cs-bar { min-width: 5rem; }
.cs-learn-lanes td:first-child { width: 100%%; }
.cs-learn-lanes td, .cs-learn-lanes th { white-space: nowrap; padding-left: 1rem; vertical-align: top; }
.cs-learn-lanes small { display: block; color: var(--cs-muted); font-size: 0.8rem; }
.cs-learn-lanes code, .cs-learn-lanes td:first-child { white-space: normal; }
.cs-scale.cs-learn-lane { margin: 0.1rem 0 0.3rem; }
.cs-learn-lane i { top: auto; min-width: 2px; background: var(--cs-selected); }
.cs-scale.cs-learn-votes { height: 5rem; }
.cs-learn-table code { overflow-wrap: anywhere; font-size: 0.78rem; }
.cs-learn-result table { width: auto; }
.cs-learn-result td, .cs-learn-result th { padding-right: 1.2rem; }
.cs-side.cs-learn-mistake { max-height: none; white-space: normal; }
.cs-learn-right, .cs-learn-wrong { border-left: 4px solid var(--cs-gold); padding: 0.35rem 0.8rem;
  border-radius: 0.25rem; background: color-mix(in srgb, var(--cs-gold) 10%%, transparent); }
.cs-learn-wrong { border-color: var(--cs-structural);
  background: color-mix(in srgb, var(--cs-structural) 10%%, transparent); }
.cs-facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 0.8rem; margin: 0.5rem 0 0; }
"""


def sheet() -> str:
    """Return the style sheet of everything below, see :mod:`pages.shared.frame.first_html`."""
    return _CSS % (_colors(), TEXT_HEIGHT)


def add_style(sheet: str) -> None:
    """Add a style sheet."""
    st.html(f"<style>{sheet}</style>")


def problem(what: str, remedy: str) -> None:
    """Show what happened, and what to do."""
    show(f'<div class="cs-problem">⚠ {escape(what)} {escape(remedy)}</div>')


def empty(what: str, remedy: str) -> str:
    """Return why there is nothing to show, and what to do, as HTML."""
    return f'<div class="cs-empty"><b>{escape(what)}</b> {escape(remedy)}</div>'


def figure(number: int | str, one: str, many: str = "", *, rest: str = "", help: str = "", term: str = "") -> str:
    """Return a number with its noun as HTML, for a line of key figures.

    Args:
        number: the number, or one in words.
        one: the noun for 1, and with an s for other numbers.
        many: the noun for other numbers, where it is not formed so.
        rest: further words after the noun.
        help: shown in a tooltip.
        term: whose definition is shown on hover, focus or tap; by default that of the noun, if the glossary has one.
    """
    known = glossary.find(term or one)
    title = f' title="{escape(help)}"' if help else f' data-term="{known.name}" tabindex="0"' if known else ""
    shown = number if isinstance(number, str) else f"{number:,}"
    words = one if number == 1 else many or f"{one}s"
    return f"<div{title}><b>{escape(shown)}</b><span>{escape(words)}{escape(rest)}</span></div>"


def wide(table: str, label: str) -> str:
    """Return a table as HTML that scrolls by itself where it is wider than the window, by keyboard too."""
    return f'<div class="cs-wide" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def show(body: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Show HTML; text of a document in it must have passed through :func:`escape`."""
    st.html(f'<div class="cs">{body}</div>', width=width)


def plain(text: str) -> str:
    """Return a text for the label of a widget, with Streamlit's markup escaped."""
    return "".join(f"\\{character}" if character in _MARKUP else character for character in text)


_MARKUP = frozenset("\\`*_[]()#+-.!|~$:<>{}&")
