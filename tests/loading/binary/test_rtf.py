r"""Rich Text Format."""

from __future__ import annotations

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import rtf
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed, shapes

HEADER = r"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}{\stylesheet{\s0 Normal;}{\s3 heading 2;}}"


def parsed(body: str) -> Parsed:
    result = rtf.parse(
        rf"{{\rtf1\ansi\ansicpg1252\deff0{HEADER}{body}}}".encode("latin-1"), "tea.rtf", LoadParameters()
    )
    check_parsed(result)
    return result


def test_headings_lists_tables_and_notes() -> None:
    result = parsed(
        r"\pard\outlinelevel0 Tea\par\pard\s3 Water\par"
        r"\pard Boil it.{\super\chftn}{\footnote\pard\plain {\chftn} Hot.}\par"
        r"\pard\ls1\ilvl0{\listtext\tab 1.\tab}One\par\pard\ls1\ilvl1{\listtext a)\tab}Two\par"
        r"\trowd\cellx1\cellx2\pard\intbl Leaf\cell Price\cell\row\trowd Green\cell 2\cell\row"
        "\\pard Next\nline\\line more\\par\\page After"
    )
    assert shapes(result) == [
        ("heading", 1, "Tea"),
        ("heading", 2, "Water"),
        ("paragraph", 0, "Boil it.[1]"),
        ("footnote", 0, "[1] Hot."),
        ("list_item", 1, "1. One"),
        ("list_item", 2, "a) Two"),
        ("table", 0, "Leaf | Price\nGreen | 2"),
        ("paragraph", 0, "Nextline\nmore"),
        ("page_break", 0, "\f"),
        ("paragraph", 0, "After"),
    ]


def test_characters_of_every_kind() -> None:
    text = r"caf\'e9 {\f1\'cf\'f0} \uc1\u1495?\u-10179?\u-8704? \endash\~\{x\} {\uc2\u8364\'80\'80}5 \emdash"
    assert parsed(text).text == "café Пр ח\U0001f600 –\xa0{x} €5 —"


def test_what_is_not_text_is_left_out() -> None:
    result = parsed(
        r"{\info{\title T}}{\*\generator G;}{\header Head}Seen{\v hidden}{\*\unknown u}{\pict\pngblip 89504e47}"
        r"{\field{\*\fldinst HYPERLINK x}{\fldrslt  link}}{\object\objdata 0105}\bin3 {}{ end"
        r"{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard In a box\par}}}"
    )
    assert sorted(shape[2] for shape in shapes(result)) == ["In a box", "Seen link end"]
    assert result.notes == ("1 picture was left out.", "1 embedded object was left out.")
    assert [aside[:2] for aside in result.aside] == [("running head", "Head")]


def test_what_stands_for_nested_tables_in_older_programs_is_left_out() -> None:
    inner = r"\itap2 a\nestcell b\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables instead\par}"
    assert parsed(r"\trowd\pard\intbl" + inner + r"\itap1 c\cell\row\pard after\par").text == "a | b | c\n\nafter"


def test_rtf_is_known_by_its_first_bytes() -> None:
    document = load(rb"{\rtf1 Boil water.}", "letter.doc")
    assert (document.format, document.text) == ("rtf", "Boil water.")


@pytest.mark.parametrize(
    ("data", "words"), [(b"{\\rtf1" + b"{" * 100_000, "nested more than"), (b"Dear Sir", "not an RTF")]
)
def test_harmful_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        rtf.parse(data, "tea.rtf", LoadParameters())


def test_superscripts_and_subscripts() -> None:
    result = parsed(
        r"\pard x{\super 2} of H{\sub 2}O, method{\super 12}, 10\super -3\nosupersub  m"
        r"{\super\chftn}{\footnote\pard\plain {\super\chftn} 10{\super 3}}\par"
    )
    assert shapes(result) == [("paragraph", 0, "x² of H₂O, method[12], 10⁻³ m[1]"), ("footnote", 0, "[1] 10³")]
