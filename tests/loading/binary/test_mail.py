"""E-mails, mailboxes and saved pages."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import mail
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed, shapes


def message(subject: str = "Tea", text: str = "Boil water.") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Kim <kim@example.org>", "lee@example.org", subject
    made["Message-ID"] = "<1@example.org>"
    made.set_content(text)
    return made


def parsed(data: bytes) -> Parsed:
    result = mail.parse(data, "tea.eml", LoadParameters())
    check_parsed(result)
    return result


HEAD = ("paragraph", 0, "From: Kim <kim@example.org>\nTo: lee@example.org")


def test_html_is_read_and_attachments_are_listed() -> None:
    made = message("Grüner Tee – und Brot")
    made.add_alternative("<h2>Prices</h2><table><tr><th>Leaf<th>Price<tr><td>Green<td>2</table>", subtype="html")
    made.add_attachment(b"\x89PNG" * 5_000, "image", "png", filename="pöt.png")
    made.add_attachment("a,b", filename="list.txt")
    assert shapes(parsed(bytes(made))) == [
        ("heading", 1, "Grüner Tee – und Brot"),
        HEAD,
        ("heading", 2, "Prices"),
        ("table", 0, "Leaf | Price\nGreen | 2"),
        ("list_item", 1, "Attachment: pöt.png (image/png, 20 kB)"),
        ("list_item", 1, "Attachment: list.txt (text/plain, 4 bytes)"),
    ]


def test_messages_inside_a_message_and_in_a_mailbox() -> None:
    outer = message("Fwd: Tea", "See below.")
    outer.add_attachment(message())
    inside = [("heading", 2, "Tea"), HEAD, ("paragraph", 0, "Boil water.")]
    assert shapes(parsed(bytes(outer))) == [
        ("heading", 1, "Fwd: Tea"), HEAD, ("paragraph", 0, "See below."), ("page_break", 0, "\f"), *inside
    ]  # fmt: skip
    box = b"".join(b"From kim Mon Jan  5 10:00:00 2026\n" + bytes(message(subject)) + b"\n" for subject in "AB")
    assert [shape[2] for shape in shapes(parsed(box)) if shape[0] == "heading"] == ["A", "B"]


def test_texts_in_other_encodings_and_without_a_known_one() -> None:
    for charset, word in (("koi8-r", "Чай"), ("iso-2022-jp", "お茶"), ("windows-1252", "Thé")):
        head = f"Subject: x\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
        assert parsed(head.encode() + f"{word} {word}".encode(charset)).text == f"x\n\n{word} {word}"
    unknown = b"Subject: =?nonsense?q?x?=\nContent-Type: text/plain; charset=zlib\n\nCaf\xc3\xa9\n"
    assert parsed(unknown).text == "=?nonsense?q?x?=\n\nCafé\n"


def test_an_email_is_known_by_its_header() -> None:
    assert load(bytes(message()), "saved.txt").format == "mail"
    assert load(b"From: the kitchen\n\nBoil water.\n", "saved.txt").format == "text"


def test_an_email_with_a_picture_is_no_base64() -> None:
    made = message()
    made.add_related(bytes(300_000), "image", "gif", cid="<p>")
    document = load(bytes(made), "tea.eml")
    assert len(document.text) < 200


def nested(depth: int) -> bytes:
    return b"Subject: x\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(depth)
    )


@pytest.mark.parametrize(("data", "words"), [(nested(2_000), "more than 200 parts"), (b"\n\nDear Sir", "no header")])
def test_harmful_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        mail.parse(data, "tea.eml", LoadParameters())


def test_parts_that_are_nested_too_deeply_are_left_out_with_a_note() -> None:
    assert parsed(nested(50)).notes == ("1 part was left out: it is nested too deeply.",)
