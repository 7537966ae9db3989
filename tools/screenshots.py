"""Take the pictures of the documentation from the running app.

python -m tools.screenshots                  # after a change of a page: write docs/images
python -m tools.screenshots --pages learn    # the picture of one page
python -m tools.screenshots FOLDER --widths 390,768,1280 --schemes light,dark   # to look at every page
"""

from __future__ import annotations

import argparse
import io
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from chunking import samples
from chunking.store import Library, NewDocument, open_storage
from tests.browser.server import chromium, complete, serve, settled

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PAGES = {
    "inspect": "/?doc=field-guide-to-backups&gap=31",
    "compare": "/compare?doc=field-guide-to-backups",
    "tune": "/tune?doc=field-guide-to-backups",
    "evaluate": "/evaluate",
    "review": "/review?doc=harbour-report&reviewer=Ada",
    "collection": "/collection",
    "library": "/library?order=name",
    "learn": "/learn?chapter=5",
}
_COLORS = 128
"""Colours of a picture: enough for figures and text, at a third of the size."""


def main() -> None:
    """Read the command line, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES, help="where to write them")
    parser.add_argument("--widths", default="1280", help="window widths in pixels, separated by commas")
    parser.add_argument("--schemes", default="light", help="light, dark or both, separated by commas")
    parser.add_argument("--pages", default=",".join(PAGES), help="pages, separated by commas")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    widths = [int(width) for width in options.widths.split(",")]
    schemes = options.schemes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CHUNKSCOPE_REVIEWS"] = str(Path(folder) / "reviews.sqlite")
        _fill_library()
        with serve(Path(folder)) as server, chromium() as browser:
            addresses = {name: server.address + PAGES[name] for name in options.pages.split(",")}
            for name, page in _pages(browser, addresses, widths, schemes):
                _save(page.screenshot(), options.folder / f"{name}.png")


def _pages(
    browser: Browser, addresses: Mapping[str, str], widths: list[int], schemes: list[str]
) -> Iterator[tuple[str, Page]]:
    """Yield each page, complete, with the name of its picture; width and scheme are in it if there are several."""
    for scheme in schemes:
        for width in widths:
            for name, address in addresses.items():
                with browser.new_context(
                    color_scheme=scheme,  # type: ignore[arg-type]
                    viewport={"width": width, "height": 900},
                ) as context:
                    page = context.new_page()
                    page.goto(address)
                    complete(page)
                    if name == "learn":
                        _predict(page)
                    if name == "library":
                        _select(page)
                    page.wait_for_load_state("networkidle")
                    parts = [name, *([f"{width}", scheme] if len(widths) * len(schemes) > 1 else [])]
                    yield "-".join(parts), page


def _fill_library() -> None:
    """Add the samples to the library, with tags."""
    library = Library(open_storage())
    for name in samples.names():
        document = samples.load(name).document
        tags = ("samples", document.format)
        library.add(NewDocument((samples.FOLDER / document.name).read_bytes(), document, tags=tags))


def _select(page: Page) -> None:
    """Tick the first row of the table, which is drawn on a canvas."""
    box = page.locator("[data-testid='stDataFrame'] canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 52)
    page.get_by_role("button", name="Open in Inspect").wait_for()
    settled(page)


def _predict(page: Page) -> None:
    """Predict on the chapter that is open, so that its figure is seen too."""
    for gap in (4, 9):
        page.locator(".cs-picker-gap").nth(gap).click()
    page.locator(".cs-picker-send").click()
    page.locator(".cs-learn-result").wait_for()
    page.locator(".wb-figure[data-chunks]").wait_for()
    settled(page)
    # The picture begins at the top, where the page is scrolled down to the button.
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    page.mouse.move(0, 0)  # off a term, which would show its definition


def _save(picture: bytes, path: Path) -> None:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
