"""Kiwi on Korean."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from chunking.document import Block, Document
from chunking.errors import ChunkscopeError
from chunking.loading import from_text, load
from chunking.sentences import KIWI, default_splitter, split, splitters
from chunking.sentences import kiwi as module

CHAPTER = Path(__file__).resolve().parents[2].parent / "shared/data/documents/rust_book_ko_ch04-01-what-is-ownership.md"


def texts(text: str, format_: str = "text") -> list[str]:
    return list(split(from_text(text, format=format_, language="ko"), KIWI).texts)


CASES: dict[str, list[str]] = {
    "decimals": ["오늘은 3.5km를 걸었다.", "물은 2.71리터를 마셨다."],
    "versions and files": ["Python 3.11.4 버전이 필요하다.", "main.py 파일을 열어 보세요."],
    "quotations": [
        '그는 "나는 간다. 너도 와라."라고 말했다.',
        "“정말요?” 하고 그녀가 물었다.",
        "아무도 대답하지 않았다.",
    ],
    "a quotation begins": ["어제 시장에 갔다.", '"늦었어. 집에 가자."라고 그녀가 말했다.'],
    "polite endings": ["정말 감사합니다!", "내일 뵐까요?", "네, 좋아요."],
    "brackets": ["그는 떠났다(아무도 몰랐다. 정말이다).", "우리는 남았다."],
    "ellipsis": ["그는 말없이 떠났다...", "그리고 돌아오지 않았다."],
    "marks of code and emphasis": ["이 타입은 좋은 예입니다.", "`String` 타입은 **나중에** 다룹니다.", "*끝*입니다."],
    "addresses": ["설명서는 ../docs/guide.md 파일에 있습니다.", "먼저 읽어 보세요."],
    "no stops": ["오늘은 날씨가 좋다", "산책을 갔다", "그래서 기분이 좋아요", "내일도 갈 거예요"],
    "emoji": ["이 글자는 😀 두 칸입니다.", "다음 문장입니다 😀."],
    "list": ["1. 첫 번째 항목이다.", "2. 두 번째 항목이다."],
}


@pytest.mark.parametrize("name", CASES)
def test_korean(name: str) -> None:
    for joiner in (" ", "\n", "  \r\n  "):
        text = joiner.join(CASES[name])
        document = Document(text, (Block("paragraph", 0, len(text)),), language="ko")
        assert [" ".join(sentence.split()) for sentence in split(document).texts] == CASES[name]


def test_korean_is_split_by_kiwi() -> None:
    assert default_splitter("ko") == KIWI
    assert splitters("ko")[0] == KIWI
    assert split(from_text("안녕하세요. 반갑습니다.", language="ko")).splitter == KIWI


def test_many_threads_load_it_once_and_use_it_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    real, loads, gate = module._load_model, [], threading.Barrier(4)

    def watched() -> Any:
        loads.append(module._model_lock.locked())
        return real()

    monkeypatch.setattr(module, "_load_model", watched)

    def work(number: int) -> list[str]:
        gate.wait(60)
        return texts(f"이것은 {number}번이다. 그리고 끝이다.")

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(work, range(4)))
    assert found == [[f"이것은 {number}번이다.", "그리고 끝이다."] for number in range(4)]
    assert loads == [True] * 4


def test_it_is_imported_only_when_it_is_used() -> None:
    program = """
import sys
from chunking.loading import from_text
from chunking.sentences import split, splitters
splitters("ko"), split(from_text("안녕. 잘 가.", language="ko"), "rules")
print("kiwipiepy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def missing(name: str, package: str | None = None) -> Any:
        if name == "kiwipiepy":
            raise ImportError("No module named 'kiwipiepy'", name=name)
        return real(name, package)

    monkeypatch.setattr(module, "_load_model", module._load_model.__wrapped__)
    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ChunkscopeError, match=r"pip install .*\[models\].*, or choose the splitter rules"):
        texts("안녕하세요.")


@pytest.mark.skipif(not CHAPTER.is_file(), reason="the shared documents are not there")
def test_a_real_chapter() -> None:
    """Of some 170 sentences, every one that is not a list's or a caption's ends as Korean sentences do."""
    document = load(CHAPTER.read_bytes(), CHAPTER.name)
    assert document.language == "ko"
    sentences = split(document)
    assert sentences.splitter == KIWI
    prose = [
        text
        for text, block in zip(sentences.texts, sentences.block.tolist(), strict=True)
        if document.blocks[block].kind == "paragraph" and not text.startswith("<")
    ]
    assert 130 < len(prose) < 200
    assert max(map(len, prose)) < 350
    ends = [text for text in prose if text.rstrip("*_`)").endswith((".", "?", "!", ":"))]
    assert len(ends) > 0.97 * len(prose)
    assert not [text for text in prose if "다. " in text], "a stop after an ending always ends a sentence here"
