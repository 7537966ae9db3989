from __future__ import annotations

import pytest
import streamlit as st
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec

from pages.shared.documents import uploads


def file(name: str) -> UploadedFile:
    return UploadedFile(UploadedFileRec(name, name, "text/plain", name.encode()), FileURLs())


@pytest.mark.parametrize("given", [None, [], DeletedFile("gone"), [DeletedFile("gone"), DeletedFile("gone, too")]])
def test_nothing_that_is_there_is_nothing(monkeypatch: pytest.MonkeyPatch, given: object) -> None:
    monkeypatch.setattr(st, "session_state", {"files": given})
    assert uploads.contents("files") == uploads.uploaded_files("files") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (file("tea.md"), ["tea.md"]),
        ([file("tea.md"), DeletedFile("gone"), file("bread.md")], ["tea.md", "bread.md"]),
    ],
)
def test_what_the_server_has_is_handed_over(
    monkeypatch: pytest.MonkeyPatch, given: object, expected: list[str]
) -> None:
    monkeypatch.setattr(st, "session_state", {"files": given})
    assert uploads.contents("files") == [(name, name.encode()) for name in expected]
