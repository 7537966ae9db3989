from __future__ import annotations

import pytest

from chunking.loading.text.plain import blocks


def shapes(text: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, text[block.content : block.end]) for block in blocks(text)]


def kinds(text: str) -> list[str]:
    return [kind for kind, _, _ in shapes(text)]


def test_paragraphs_end_at_blank_lines() -> None:
    assert shapes("one\ntwo\n \nthree\r\n\r\n  four") == [
        ("paragraph", 0, "one\ntwo"),
        ("paragraph", 0, "three"),
        ("paragraph", 0, "four"),
    ]


@pytest.mark.parametrize(
    ("line", "level", "content"),
    [
        ("PREAMBLE", 1, "PREAMBLE"),
        ("ARTICLE IV", 1, "ARTICLE IV"),
        ("Chapter 3: The Storm", 1, "Chapter 3: The Storm"),
        ("Section 2.1", 2, "Section 2.1"),
        ("1. Introduction", 1, "Introduction"),
        ("3.2. Domain name space", 2, "Domain name space"),
        ("2. 소개", 1, "소개"),
    ],
)
def test_lines_that_are_headings(line: str, level: int, content: str) -> None:
    assert shapes(f"Some text before.\n\n{line}\n\nSome text after it.\n")[1] == ("heading", level, content)


@pytest.mark.parametrize(
    "line",
    [
        "SECTION. 2. The House shall be composed of Members.",
        "Section 3 of the act applies",
        "JOHN:",
        "STOP!",
        "1999",
        "OK",
        "A.ISI.EDU XX.LCS.MIT.EDU",
        "Title case alone",
        "API 문서",
        "5 apples",
        "NAME            VALUE",
        "1. This is a whole sentence that ends with a stop.",
        "89.60 EUR",
        "2.4 GHz Processor",
        "192.168.0.1 Gateway",
        "10.30 Uhr",
        "3 Eggs",
        "I.",
        "A. Reed",
        "§ 12 of the act",
        "Статья 5 закона об охране рек",
        "第一条规定了范围。",
    ],
)
def test_lines_that_are_not(line: str) -> None:
    assert "heading" not in kinds(f"Some text before.\n\n{line}\n\nSome text after it.\n")


def headings(lines: list[str]) -> list[tuple[int, str]]:
    """Return the level and words of the headings among lines that have a paragraph between them."""
    text = "\n\nSome text goes here, and it is long.\n\n".join(lines)
    return [(level, words) for kind, level, words in shapes(text) if kind == "heading"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["1 Tea", "1.1 Leaf", "2 Water", "2.1 Heat"], [(1, "Tea"), (2, "Leaf"), (1, "Water"), (2, "Heat")]),
        (["1: Tea", "2: Water"], [(1, "Tea"), (1, "Water")]),
        (["1 - Tea", "2 - Water"], [(1, "Tea"), (1, "Water")]),
        (["I.", "II."], [(1, "I."), (1, "II.")]),
        (["I. Tea", "A. Leaf", "B. Bud", "II. Water"], [(1, "Tea"), (2, "Leaf"), (2, "Bud"), (1, "Water")]),
        (["I. Tea", "1. Leaf", "2. Bud", "II. Water"], [(1, "Tea"), (2, "Leaf"), (2, "Bud"), (1, "Water")]),
        (["A. Tea", "A.1 Leaf", "A.2 Bud", "B. Water"], [(1, "Tea"), (2, "Leaf"), (2, "Bud"), (1, "Water")]),
        (["3.2. Tea", "3.2.1 Leaf"], [(2, "Tea"), (3, "Leaf")]),
        (
            ["Chapter 1", "Article 1 Tea", "1.1 Leaf", "1.2 Bud", "Chapter 2"],
            [(1, "Chapter 1"), (2, "Article 1 Tea"), (3, "Leaf"), (3, "Bud"), (1, "Chapter 2")],
        ),
        (["1. Tea", "3.50 Euro", "2. Water", "12.00 Euro", "12.50 Euro"], [(1, "Tea"), (1, "Water")]),
        (["10.0.0.1 Gate", "2.4 GHz Oven", "89.60 EUR", "90.60 EUR"], []),
        (["1 Cup", "7 Plums"], []),
    ],
)
def test_numbers_that_continue_each_other_are_headings(lines: list[str], expected: list[tuple[int, str]]) -> None:
    assert headings(lines) == expected


@pytest.mark.parametrize(
    "line",
    [
        "§ 2 Wasser",
        "§2a Frost",
        "§ 2",
        "Art. 2 Water",
        "Art.2",
        "Rule 2.",
        "Rule 2. Water",
        "ARTIKEL 2",
        "Artículo 2.- Agua",
        "Artigo 2.º Água",
        "Art. 1er",
        "Titre II Eau",
        "Статья 2. Вода",
        "Глава II",
        "Стаття 2",
        "Čl. 2",
        "Madde 2 – Su",
        "2 § Vatten",
        "Điều 2. Nước",
        "Pasal 2",
        "المادة 2",
        "ماده ۲",
        "סעיף 2",
        "धारा 2",
        "มาตรา ๒",
        "Άρθρο 2",
        "第二条",
        "第2条（水）",
        "第十二章　水",
        "제2조(용수)",
        "제2조의2(용수)",
        "第二条の二",
    ],
)
def test_headings_of_laws_in_many_languages(line: str) -> None:
    assert headings(["Before it.", line, "After it."]) == [(1, line)]


SENTENCE = "The moorings of the basin are let each spring, and whoever wants one writes to the warden."


@pytest.mark.parametrize(
    "heads",
    [
        ["§ 200.1 Scope.", "§ 200.2 Moorings.", "§ 200.3 Fees."],
        ["SEC. 1. SCOPE.", "SEC. 2. MOORINGS.", "SEC. 3. FEES."],
        ["Artículo 1. Objeto.", "Artículo 2. Amarres."],
        ["Artikel 1\nGeltungsbereich", "Artikel 2\nLiegeplätze"],
        ["Art. 1.\n(ambito)", "Art. 2.\n(ormeggi)"],
        ["Член 1", "Член 2"],
        ["Άρθρο 1\nΠεδίο", "Άρθρο 2\nΘέσεις"],
        ["1. člen\n(področje)", "2. člen\n(privezi)"],
        ["Article premier", "Article 2"],
        ["Article L. 111-1", "Article L. 111-2"],
        ["Chapter One: Scope", "Chapter Two: Moorings"],
        ["Erster Abschnitt Geltung", "Zweiter Abschnitt Liegeplätze"],
        ["Глава первая", "Глава вторая"],
        ["المادة الأولى", "المادة الثانية"],
        ["მუხლი 1. სფერო", "მუხლი 2. ადგილი"],
        ["1-modda. Qo‘llanish", "2-modda. Joylar"],
        ["Chương I\nQUY ĐỊNH CHUNG", "Chương II\nBẾN"],
        ["一、总则", "二、泊位"],
        ["（一）总则", "（二）泊位"],
        ["Regulation 1 Scope", "Regulation 2 Moorings"],
        ["1.\tScope", "2.\tMoorings"],
        ["Article 1\tScope", "Article 2\tMoorings"],
    ],
    ids=lambda heads: heads[0].replace("\n", " / "),
)
def test_headings_of_laws_that_others_continue(heads: list[str]) -> None:
    text = "\n\n".join(part for head in heads for part in (head, SENTENCE)) + "\n"
    found = [text[block.start : block.end] for block in blocks(text) if block.kind == "heading"]
    assert found == heads


def test_the_text_of_a_law_may_begin_below_its_heading() -> None:
    text = f"§ 1 Geltung\n(1) {SENTENCE}\n(2) Mehr.\n\n§ 2 Gebühren\n{SENTENCE}\n"
    assert shapes(text) == [
        ("heading", 1, "§ 1 Geltung"),
        ("list_item", 1, SENTENCE),
        ("list_item", 1, "Mehr."),
        ("heading", 1, "§ 2 Gebühren"),
        ("paragraph", 0, SENTENCE),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"Article 9 of the order\nremains in force. {SENTENCE}\n\nArticle 10 of the order\ndoes not.\n",
        "Rule 1. Do not run.\n\nRule 2. Do not shout.\n\nRule 3. Pay.\n",
        f"Section 4 Fees\nare due. {SENTENCE}\n\n{SENTENCE}\n",
        "一、开门；\n\n二、关门；\n\n三、付款。\n",
        "1.\tOpen the gate\n\n2.\tCheck the log\n\n3.\tLock the shed\n",
    ],
)
def test_rules_in_a_list_and_references_are_no_headings(text: str) -> None:
    assert "heading" not in kinds(text)


def test_a_cross_reference_at_the_start_of_a_line_stays_text() -> None:
    text = "It is based on\n§ 12 Parks Act and\nArticle 9\nof the order.\n\nArt. 2 Water\n\nText.\n"
    assert kinds(text) == ["paragraph", "heading", "paragraph"]


def test_a_lettered_list_has_no_headings() -> None:
    assert "heading" not in kinds("Choose one:\n\nA. Paris\n\nB. Rome\n\nC. Oslo\n\nThe answer is below.\n")


def test_a_heading_needs_blank_lines_around_it() -> None:
    assert kinds("text\nSHOUTING\nmore\n") == ["paragraph"]


def test_numbered_neighbours_are_a_list() -> None:
    assert kinds("1. Apples\n\n2. Pears\n\n3. Plums\n\nThe end of it.\n") == ["list_item"] * 3 + ["paragraph"]
    assert kinds("1. Apples\n\nText.\n\n2. Pears\n\nText.\n") == ["heading", "paragraph"] * 2
    assert kinds("2. Apples\n\n2.1. Red\n\nText.\n") == ["heading", "heading", "paragraph"]


def test_underlined_headings() -> None:
    text = "=====\nTitle\n=====\nText directly below.\n\nPart one\n--------\n\nx\n\nSmall\n~~~~~\n"
    assert shapes(text) == [
        ("heading", 1, "Title"),
        ("paragraph", 0, "Text directly below."),
        ("heading", 2, "Part one"),
        ("paragraph", 0, "x"),
        ("heading", 3, "Small"),
    ]
    assert blocks(text)[0].start == 0


def test_short_rules_underline_nothing() -> None:
    assert kinds("A title that is much longer than its line\n---\n\nx\n") == ["paragraph", "paragraph"]


def test_separators_are_no_blocks() -> None:
    assert shapes("a\n\n-----\n\nb\n* * *\nc\n") == [
        ("paragraph", 0, "a"),
        ("paragraph", 0, "b"),
        ("paragraph", 0, "c"),
    ]


def test_lists_nest_by_indentation_and_hang() -> None:
    text = "Things:\n- a\n  more a\n  * b\n- c\nlazy\n\nText.\n\n(a) x\n(b) y\n(iv) z\n"
    assert shapes(text) == [
        ("paragraph", 0, "Things:"),
        ("list_item", 1, "a\n  more a"),
        ("list_item", 2, "b"),
        ("list_item", 1, "c\nlazy"),
        ("paragraph", 0, "Text."),
        ("list_item", 1, "x"),
        ("list_item", 1, "y"),
        ("list_item", 1, "z"),
    ]


def test_numbers_give_the_level_where_indentation_does_not() -> None:
    text = "1. Scope of this policy applies to all.\n1.1. Staff must sign.\n1.1.1. Twice.\n2. End.\n"
    assert [level for _, level, _ in shapes(text)] == [1, 2, 3, 1]


@pytest.mark.parametrize("text", ["It happened in\n1985. Then more\ncame.", "a range of 3\n- 5 people\nwere there."])
def test_a_wrapped_line_is_no_item(text: str) -> None:
    assert kinds(text) == ["paragraph"]


def test_turns_of_speakers_are_paragraphs() -> None:
    text = "ANN: Hello.\nHow are you?\nBOB (remote): Fine.\nANN: Good.\n\n[00:01:05] So.\n[00:01:09] Yes.\n"
    assert [content for _, _, content in shapes(text)] == [
        "ANN: Hello.\nHow are you?",
        "BOB (remote): Fine.",
        "ANN: Good.",
        "So.",
        "Yes.",
    ]
    text = "[00:00:01.000 --> 00:00:04.000]  It failed.\n[00:00:04.000 --> 00:00:08.000]  It ran hot.\n"
    assert shapes(text) == [("paragraph", 0, "It failed."), ("paragraph", 0, "It ran hot.")]
    assert shapes("00:01\nIt failed.\n00:04\nIt ran hot.\n") == shapes(text)
    assert kinds("Note: this is wrapped\ntext that goes on\nand ends. Still: one.\n") == ["paragraph"]


def test_long_lines_are_paragraphs_of_their_own() -> None:
    text = f"{'word ' * 40}\n{'term ' * 40}\n- item\n"
    assert kinds(text) == ["paragraph", "paragraph", "list_item"]


def test_drawings_and_literal_blocks_are_code() -> None:
    drawing = "+-----+\n| box |\n+-----+"
    assert shapes(f"As shown:\n\n{drawing}\n\nText.\n")[1] == ("code", 0, drawing)
    assert kinds("Look at this\nformat:\n    +--+\n    |  |\n    +--+\n") == ["paragraph", "code"]
    text = "Write::\n\n    x = 1\n\n      y = 2\n\nand go on.\n"
    assert shapes(text) == [
        ("paragraph", 0, "Write::"),
        ("code", 0, "x = 1\n\n      y = 2"),
        ("paragraph", 0, "and go on."),
    ]
    item = "1. Item::\n\n       x = 1\n\n   Text of the item.\n"
    assert kinds(item) == ["list_item", "code", "paragraph"]


def test_indented_code_is_told_from_indented_prose() -> None:
    body = "Body text that is at the margin of the page and is long enough.\n\n"
    assert kinds(f"{body}    for x in y:\n        print(x)\n") == ["paragraph", "code"]
    assert kinds(f"{body}    Indented words that are\n    only a quotation.\n") == ["paragraph", "paragraph"]


def test_tables() -> None:
    assert kinds("| a | b |\n|---|---|\n| 1 | 2 |\n") == ["table"]
    assert kinds("name      value\nred       1\nblue      2\n") == ["table"]
    assert kinds("====  ====\na     b\n====  ====\n1     2\n====  ====\n") == ["table"]


def test_quotations() -> None:
    assert shapes("> said so\n> twice\n\nYes.\n") == [("quote", 1, "said so\n> twice"), ("paragraph", 0, "Yes.")]


def test_page_breaks_take_their_running_lines() -> None:
    pages = [f"Text of page {word} here.\n\nJones    [Page {number}]\n\fRFC 1    Title\n\n" for number, word in
             enumerate(["one", "two", "three"], 1)]  # fmt: skip
    text = "".join(pages) + "End.\n"
    assert kinds(text) == ["paragraph", "page_break"] * 3 + ["paragraph"]
    first = blocks(text)[1]
    assert text[first.start : first.end] == "Jones    [Page 1]\n\fRFC 1    Title"


def test_other_page_breaks_are_the_form_feed() -> None:
    text = "One.\n\fTwo.\n\f\fThree."
    assert [(block.kind, text[block.start : block.end]) for block in blocks(text)] == [
        ("paragraph", "One."),
        ("page_break", "\f"),
        ("paragraph", "Two."),
        ("page_break", "\f"),
        ("page_break", "\f"),
        ("paragraph", "Three."),
    ]


@pytest.mark.parametrize("lines", ["====\n", "=\n==\n", "a\n===\n", "---\nb\n", "== ==\n"])
def test_separators_without_end_are_read(lines: str) -> None:
    # In a time that grows with the square of the lines this would take hours.
    text = lines * (400_000 // len(lines))
    assert all(block.end <= len(text) for block in blocks(text))
