from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.document import Block
from chunking.loading import load
from chunking.loading.text import chat
from tests import shared_data
from tests.loading.checks import check_blocks

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
DIALOGUES = DATA / "segmentation" / "tiage.jsonl"
DOCUMENTS = DATA / "documents"


def checked(text: str) -> list[Block]:
    """The blocks of a text, which hold what every loader's do."""
    return check_blocks(text, chat.blocks(text) or ())


def shapes(text: str) -> list[tuple[str, str]]:
    """Who speaks, or the kind of a block that is no turn, and the words."""
    return [(block.title or block.kind, text[block.content : block.end]) for block in checked(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ann: Hi. You?\nBob Lee: Fine.\n", [("Ann", "Hi. You?"), ("Bob Lee", "Fine.")]),
        ("Dr. Ann (laughing): Hi\nANN [00:10]: Ho\n", [("Dr. Ann (laughing)", "Hi"), ("ANN", "Ho")]),
        ("[10:31] Ann: Look: this\n[10:32:05 PM] Bo: Yes\n", [("Ann", "Look: this"), ("Bo", "Yes")]),
        ("[10:31] <ann> hi: you\n[10:32] <@bo> ho\n", [("ann", "hi: you"), ("bo", "ho")]),
        ("10:31 Ann: Hi\n00:10:32 Bo: Ho\n", [("Ann", "Hi"), ("Bo", "Ho")]),
        ("<ann> hi\n<bo_> ho\n", [("ann", "hi"), ("bo_", "ho")]),
        ("[10.02.24, 10:31:00] Ann: Hi\n[10.02.24, 10:31:40] ~Bo: Ho\n", [("Ann", "Hi"), ("~Bo", "Ho")]),
        ("**Ann** (10:31): Hi\n**Bo:** Ho\n**Ann** (10:32):\nWell\n", [("Ann", "Hi"), ("Bo", "Ho"), ("Ann", "Well")]),
        ("SPEAKER 1 00:00:10\nHi: you.\n\nSPEAKER 2 00:12\nHo.\n", [("SPEAKER 1", "Hi: you."), ("SPEAKER 2", "Ho.")]),
        ("00:00:10 Ann Lee\nHi.\n\n[00:00:12] Bo\nHo.\n", [("Ann Lee", "Hi."), ("Bo", "Ho.")]),
        ("ANN\nHi.\n\nBO (quietly)\nHo.\n", [("ANN", "Hi."), ("BO", "Ho.")]),
        ("Q: Why?\nA: So. There.\nQ. Then?\n", [("Q", "Why?"), ("A", "So. There."), ("Q", "Then?")]),
        ("小明：你好。\n小红：再见！\n", [("小明", "你好。"), ("小红", "再见！")]),
    ],
)  # fmt: skip
def test_forms(text: str, found: list[tuple[str, str]]) -> None:
    assert shapes(text) == found
    assert shapes(text.replace("\n", "\r\n")) == [(name, words.replace("\n", "\r\n")) for name, words in found]


def test_a_turn_goes_on_until_another_begins() -> None:
    text = "A log of Monday.\n\nAnn: Hi.\nHow are you?\n\nStill me. Note: nobody else.\nBo: Fine.\nAnn: Good.\n"
    assert shapes(text) == [
        ("paragraph", "A log of Monday."),
        ("Ann", "Hi.\nHow are you?\n\nStill me. Note: nobody else."),
        ("Bo", "Fine."),
        ("Ann", "Good."),
    ]


def test_messages_of_the_system_are_paragraphs() -> None:
    phone = (
        "10/02/2024, 10:30 - Messages are encrypted.\n10/02/2024, 10:31 - Ann: Hi\nyou\n"
        "10/02/2024, 10:32 - Ann Lee changed the subject to: tea\n10/02/2024, 10:33 - +1 555 12: Yes: ok\n"
    )
    assert [(name, words.split(" - ")[-1]) for name, words in shapes(phone)] == [
        ("paragraph", "Messages are encrypted."),
        ("Ann", "Hi\nyou"),
        ("paragraph", "Ann Lee changed the subject to: tea"),
        ("+1 555 12", "Yes: ok"),
    ]
    assert [name for name, _ in shapes("[10:31] Bo: Hi\n[10:32] Ann joined\n* Bo waves\n[10:33] Ann: Ho\n")] == [
        "Bo", "paragraph", "paragraph", "Ann",
    ]  # fmt: skip


def test_labels_and_times_are_inside_the_block() -> None:
    text = "[10:31] Ann: Hi\n[10:32] Bo:\n  Ho\n"
    assert [text[block.start : block.content] for block in checked(text)] == ["[10:31] Ann: ", "[10:32] Bo:\n  "]


def test_what_names_nobody_is_no_conversation() -> None:
    assert chat.blocks("Only words.\n\nMore of them.\n") is None
    assert chat.blocks("") == ()
    assert load(b"Only words.\n\nMore of them.\n", "a.chat").format == "text"
    assert load(b"Ann: Hi there.\nBo: Ho.\n", "a.transcript").format == "chat"


TALK = (
    "Ann: I have made some tea.\nBo: That is very kind of you.\nAnn: Do you take milk?\nBo: No, only sugar, please.\n"
)


def test_a_clear_conversation_is_recognised() -> None:
    assert [block.title for block in chat.turns(TALK) or ()] == ["Ann", "Bo", "Ann", "Bo"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ann: I have made some tea.\nBo: That is very kind of you.\n",  # nobody speaks twice
        "Ann: I have made some tea.\nAnn: It is very hot.\nAnn: Take care.\n",  # nobody answers
        "Words without a speaker, at some length.\n\n" * 9 + TALK,
        "Name: Ann Lee\nAge: 3\n\nName: Bo Ray\nAge: 4\n",
        "Title: a b c d\nBy: e f g h\nYear: of i j k\n\nTitle: a b c d\nBy: e f g h\nYear: of i j k\n",
        "INFO: it has begun well\nERROR: it has gone wrong\nINFO: it goes on now\nERROR: it has gone wrong\n",
        "name: the first of them\nport: it is eighty here\nname: the other of them\nport: it is ninety here\n",
        "He said this to me now: go away.\nShe told us of that then: no.\n",
    ],
)
def test_what_may_be_no_conversation_is_none(text: str) -> None:
    assert chat.turns(text) is None


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("Mme Lind : Bonjour.\n\nM. Ott : La pompe ?\n\nMme Lind : Neuve.\n\nM. Ott : Bien.\n", ["Mme Lind", "M. Ott"]),
        ("主持人：今天有三个议题。\n王芳：我看了水泵。\n主持人：多少钱？\n王芳：九千。\n", ["主持人", "王芳"]),
        ("司会：始めます。\n田中：見ました。\n司会：いくら？\n田中：九千です。\n", ["司会", "田中"]),
        ("사회자: 시작합니다.\n김민수: 보았습니다.\n사회자: 얼마입니까?\n김민수: 구천입니다.\n", ["사회자", "김민수"]),
        ("Frage: Wo?\nAntwort: Zu Hause.\nFrage: Wer?\nAntwort: Mein Bruder.\n", ["Frage", "Antwort"]),
        ("Q1: Where were you?\nA1: At home.\nQ2: Who had a key?\nA2: My brother.\n", ["Q", "A"]),
        ("Q\tWhere were you?\nA\tAt home.\nQ\tWho had a key?\nA\tMy brother.\n", ["Q", "A"]),
        ("1   Q.  Where were you?\n2   A.  At home.\n3   Q.  Who had a key?\n4   A.  My brother.\n", ["Q", "A"]),
        ("HAMLET. To be.\n\nOPHELIA. My lord?\n\nHAMLET.\nWell, well.\n\nOPHELIA. My lord.\n", ["HAMLET", "OPHELIA"]),
        ("user: and then?\nassistant: Wait.\nuser: how long?\nassistant: An hour.\n", ["user", "assistant"]),
        ("HOST [00:04]: Welcome.\nGUEST [00:09]: Thanks.\nHOST [00:15]: So?\nGUEST [00:20]: Yes.\n", ["HOST", "GUEST"]),
        ("Ada, [02.03.2026 08:14]\nThe ladder?\n\nBen, [02.03.2026 08:15]\nNot me.\n\nAda, [02.03.2026 08:16]\nOk.\n",
         ["Ada", "Ben"]),
        ("Ada  9:04 AM\nThe pump failed.\nBen  9:05 AM\nAgain?\nAda  9:07 AM\nYes.\n", ["Ada", "Ben"]),
    ],
)  # fmt: skip
def test_conversations_of_other_forms_and_languages(text: str, speakers: list[str]) -> None:
    turns = chat.turns(text) or ()
    assert list(dict.fromkeys(turn.title for turn in turns)) == speakers
    assert all(turn.kind == "speaker_turn" for turn in turns)


@pytest.mark.parametrize(
    "text",
    [
        "Name : Ada\nAge : 36\n\nName : Bo\nAge : 41\n\nName : Cy\nAge : 29\n",
        "NOTE. Read this.\n\nWARNING. It is hot.\n\nNOTE. Read this too.\n\nWARNING. Very hot.\n",
        "host: a.org\nport: 80\n\nhost: b.org\nport: 81\n",
        "编号：一\n名称：水泵\n\n编号：二\n名称：闸门\n",
        "12:30 Lunch: soup\n13:30 Tour: harbour\n14:30 Swim: beach\n",
    ],
)
def test_records_schedules_and_notes_are_none(text: str) -> None:
    assert chat.turns(text) is None


@pytest.mark.skipif(not DIALOGUES.is_file(), reason=shared_data.MISSING)
@pytest.mark.parametrize("form", ["{name}: {words}\n", "{name}\n{words}\n\n", "[10:{number:02}] <{name}> {words}\n"])
def test_real_dialogues_are_told_turn_by_turn(form: str) -> None:
    with DIALOGUES.open(encoding="utf-8") as lines:
        dialogues = [json.loads(line)["units"] for line in lines]
    for units in dialogues:
        said = [
            form.format(name=("ADA", "BEN")[place % 2], words=words, number=place) for place, words in enumerate(units)
        ]
        text = "".join(said)
        found = chat.turns(text)
        assert found is not None
        assert [text[block.content : block.end] for block in found] == [words.strip() for words in units]


@pytest.mark.skipif(not DOCUMENTS.is_dir(), reason=shared_data.MISSING)
def test_real_documents_are_no_conversations() -> None:
    for path in sorted(DOCUMENTS.iterdir()):
        assert chat.turns(path.read_text("utf-8", "replace")) is None, path.name


HEARING = """Q. Where were you?
A. At home, all evening, with my brother.
Q. Did he say so?
A. He did not: I asked him.
But he was there.

MR. HALE: Objection. Asked and answered.

THE COURT: Overruled. You may answer.

A. He was there, and the others too.
Q. Thank you. Nothing further.
"""


def test_named_speakers_between_questions_and_answers_have_turns() -> None:
    document = load(HEARING.encode(), "hearing.txt")
    assert [block.title for block in document.blocks] == ["Q", "A", "Q", "A", "MR. HALE", "THE COURT", "A", "Q"]
    assert document.text[document.blocks[3].content : document.blocks[3].end].endswith("But he was there.")
