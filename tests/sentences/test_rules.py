"""The rules for text without care: mail, chat, copied pages; and what these rules must leave whole."""

from __future__ import annotations

import time
from importlib import resources

import pytest

from chunking.loading.language import LANGUAGES
from chunking.sentences import rule_ranges
from chunking.sentences.abbreviations import EVERY_LANGUAGE, TABLE
from tests.runtime import pump

HEAD = "03/04/2005 09:15 AM"

ENGLISH: dict[str, list[str]] = {
    "footnotes after a space": ["The mill closed in 1904. [12]", "It reopened later. [3] [4]", "Nobody minded."],
    "footnote at the end": ["It rained.", "We left. [2]"],
    "reference as a subject": ["The proof is long.", "[2] gives a shorter one."],
    "references in a row": ["The proof is long.", "[2], [3] and [7] give shorter ones."],
    "list of references": ["[1] Hale, On Mills.", "[2] Moss, On Rivers.", "[3] Reed, On Rain."],
    "footnote of reStructuredText": ["The text ends ..", "[6] A page about mills."],
    "small letter": ["We had the soup and the bread.", "it was cold but nobody complained.", "The Bill came late."],
    "small letter after a question": ["Where is the Old Harbor market?", "we looked everywhere."],
    "small letter after a question of any length": ["Is Bob in?", "you said he was."],
    "small letter after a shout": ["The view from Mount Reed was great!", "you should go there."],
    "small letter after a short word": ["Mary took the bus.", "i'm going to walk."],
    "small letter after a name": ["I wrote to Anna Reed.", "she never answers."],
    "long abbreviation": ["The admin. staff of Reed College left."],
    "short abbreviation": ["The Bank gave a min. deposit of ten."],
    "Roman number": ["See Hale, pt. i, p. 4, on mills."],
    "name with a mark": ["Is Yahoo! still a company?", "Nobody knows."],
    "macro with a mark": ["Use the assert! macro here.", "Then run it."],
    "exclamation inside": ["But now, alas! it is too late for Anna."],
    "interjection first": ["Oh! what a day it was for Anna."],
    "quotation inside": ['She asked "where is it? where did you put it?" and left.'],
    "brackets inside": ["Anna (is she in? nobody knows) has the key."],
    "ellipsis inside": ["Anna was there for years... until the mill closed."],
    "dash after a question": ["You do not like it, Anna? — that is a pity."],
    "addition": ["Anna may change the form of it. e.g. a list becomes a table."],
    "page after a stop": ["Anna wrote about mills.", "https://example.org/mills"],
    "page after a source": ["Hale, A. Old Mills, 12(3), 14-20. https://example.org/mills"],
    "page after words": ["The mills are described at https://example.org/mills and elsewhere."],
    "pages in a row": ["https://example.org/a", "http://example.org/b", "https://example.org/c is the best."],
    "emoticon": ["We won the cup :-)", "Now we sleep."],
    "emoticon after a stop": ["We won! :)", "Now we sleep."],
    "emoticon inside": ["We won :) but only just."],
    "address before a capital": ["Anna Reed, anna.reed@example.org", "The office is closed."],
    "address inside": ["Write to anna@example.org and wait."],
    "head of a message": ["Anna Reed", HEAD, "Can you send the plan?"],
    "head first": [HEAD, "Can you send the plan?"],
    "head after an address": ["<anna@example.org>", HEAD, "Can you send the plan?"],
    "time inside": [f"The call on {HEAD} Paris time was short."],
    "time after a capital": [f"On {HEAD} Anna called."],
    "line of signs": ["The first part ends", "=" * 30, "The second begins here"],
    "line of underscores": ["Anna Reed", "_" * 30, "This message is private."],
    "blanks of a form": ["Name: __________ Date: __________"],
    "table": ["Size | Price | -------------------- | -------------------- | 1 | 2"],
    "short line of signs": ["The first part ends.", "***", "The second begins."],
    "closing of a letter": ["I hope to see you.", "Best regards,", "Anna Reed"],
    "closing, longer": ["Yours very truly,", "Anna Reed"],
    "regards inside": ["He sends his regards, Anna said."],
    "postscript": ["I leave now.", "P.S. I took the key.", "PS. The cat is fed."],
    "horsepower last": ["The engine has 90 PS.", "It is loud."],
    "company and bracket": ["Harbor Inc. (the seller) signed it.", "Nobody else did."],
    "general": ["Maj. Gen. Amos Reed led them.", "They marched."],
    "party and party": ["Hale v. Reed was cited in Moss v. Hill.", "Nobody read it."],
    "courts and rules": [
        "See 12 F.3d 45 (9th Cir. 1994), and Fed. R. Civ. P. 12(b).",
        "It failed.",
        "George V. Reed won.",
    ],
    "appendix with a letter": ["It is long (see Sec. 4; cf. App. B).", "The rest is short."],
    "initials with a hyphen": ["We met J.-P. Hale there.", "He left."],
    "initial that is a word": ["The book is by A. A. Reed, and I. M. Moss read it.", "It is good."],
    "about a year": ["The mill is old (c. 1230 at least).", "It still turns."],
}
"""Each a paragraph: its sentences, which are joined by a space."""

OTHER_LANGUAGES: dict[str, tuple[str, list[str]]] = {
    "French": ("fr", ["Le moulin de la vallée a fermé. on ne sait pas pourquoi, dit Anna."]),
    "French quotations": ("fr", ["M. Dupont arrive.", "C'est l'art. 5 de la loi.", "« Oui. »", "Il part."]),
    "German, spaced": (
        "de",
        [
            "Es gilt z. B. Ruhe.",
            "Das ist i. d. R. Sache der Fa. Lind & Co. KG allein.",
            "Vgl. Urt. v. 4. Mai 2010, Rn. 14.",
            "Im U. S. Heer war er nicht.",
        ],
    ),
    "German, dots": ("de", ["Er kam mit Dr. med. Ott, d. h. allein.", "Das war 44 v. Chr.", "Er war alt."]),
    "Spanish": (
        "es",
        [
            "Los EE. UU. firmaron en el s. V a. C. el pacto, p. ej. aquí.",
            "Vive en la Av. Sol.",
            "D. Juan y Dña. Ana salieron.",
        ],
    ),
    "French, abbreviations": (
        "fr",
        ["Mme. Roy habite av. Foch, c.-à-d. ici.", "C'est env. 3 km.", "J.-P. Roy est parti.", "Tél. 01 23 45."],
    ),
    "Italian": (
        "it",
        ["Il sig. Rossi e la dott.ssa Neri, p. es. oggi, leggono l'art. 5.", "La sig.ra Verdi no.", "L'on. Bo sì."],
    ),
    "Swedish": ("sv", ["Kl. 9 börjar mötet, bl. a. här.", "Det slutar kl. 10."]),
    "Dutch": ("nl", ["Dhr. Bos woont d.w.z. werkt hier, i. v. m. de bouw.", "Hij kwam om ca. 5 uur."]),
    "Polish": ("pl", ["Powstał w 2000 r.", "Pawilon stoi przy ul. Długiej, m. in. dla dzieci.", "To np. Anna."]),
    "Russian, years": (
        "ru",
        ["Он жил в г. Туле, т. е. там, до 1990 г.", "Анна уехала на ул. Мира и т. д.", "Это так."],
    ),
    "Czech": ("cs", ["Viz např. Praha, ul. Nová č. 5.", "Firma Lípa, s. r. o., skončila."]),
    "Arabic": ("ar", ["حضر د. سالم الاجتماع.", "كان طويلا."]),
    "Hindi": ("hi", ["लागत रु. 4,500 है।", "डॉ. शर्मा आए।"]),
    "German": ("de", ["Die Mühle (erbaut ca. 1230) steht noch. [4]", "Niemand wohnt dort."]),
    "German dates": ("de", ["Er kam am 3. Oktober 1990 an.", "Das war z.B. gut.", "Ja, Prof. Dr. Müller auch."]),
    "Russian": ("ru", ["“Да.” — сказал он.", "Потом он ушёл."]),
    "Spanish, pages": ("es", ["Ana escribe sobre molinos.", "https://example.org/molinos"]),
    "unknown": ("und", ["Anna sold the Mill. it was old."]),
    "unknown, small letters": ("und", ["hello there.", "how are you?", "fine."]),
}


MARKS = [
    "\u200b",
    "\u200d",
    "\u200f",
    "\u2060",
    "\u00ad",
    "\ufeff",
    "”\u200f",
    "¹",
    "²³",
    "†",
    "[^1]",
    "[^note]",
    "[a]",
    "[note 2]",
    "[3]",
    "12",
]
"""Marks without width and of footnotes, each directly after a stop."""


def sentences(text: str, language: str = "en") -> list[str]:
    return [text[start:end].strip() for start, end in rule_ranges(text, language)]


@pytest.mark.parametrize("name", ENGLISH)
def test_english(name: str) -> None:
    assert sentences(" ".join(ENGLISH[name])) == ENGLISH[name]


@pytest.mark.parametrize("name", OTHER_LANGUAGES)
def test_other_languages(name: str) -> None:
    language, expected = OTHER_LANGUAGES[name]
    assert sentences(" ".join(expected), language) == expected


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_after_a_stop_belongs_to_its_sentence(mark: str) -> None:
    expected = [f"The mill closed.{mark}", "Nobody minded."]
    assert [text.strip() for text in sentences(" ".join(expected))] == expected


@pytest.mark.parametrize(
    "text", ["Use version3.2 Beta now.", "See line.2 here.", "The mill (fig.2 Left) closed.", "Run a.\u200bb now."]
)
def test_a_number_or_mark_inside_a_word_ends_nothing(text: str) -> None:
    assert sentences(text) == [text]


def test_the_table_of_abbreviations_is_well_formed() -> None:
    rows = [
        line.split("\t")
        for line in resources.files("chunking.sentences").joinpath(TABLE).read_text("utf-8").splitlines()
    ]
    assert {kind for _, kind, _ in rows} == {"prefix", "name", "number", "last", "starter"}
    assert {language for language, _, _ in rows} - {EVERY_LANGUAGE} <= LANGUAGES.keys()
    for language, kind, words in rows:
        assert words == words.lower(), (language, kind)
        assert len(words.split()) == len(set(words.split())), (language, kind)


@pytest.mark.parametrize("text", [" ", "\n", " ".join(["a@b.c"] * 3) + " ", "=" * 40, " :) ", f"{HEAD} "])
def test_no_range_is_blank_unless_the_text_is(text: str) -> None:
    ranges = rule_ranges(text, "en")
    assert "".join(text[start:end] for start, end in ranges) == text
    assert all(text[start:end].strip() for start, end in ranges) or not text.strip()


@pytest.mark.parametrize(
    "piece",
    [
        "http://",
        "http://a ",
        "a@a.a ",
        ":) ",
        "=" * 20,
        " [1]",
        "no! it ",
        "1/1/2000 1:00 ",
        "(no? it ",
        "c. ",
        "@a.",
        "e. g. ",
        ".1 ",
        ".[^a] ",
    ],
)
def test_time_is_linear(piece: str) -> None:
    """Processor time grows with the length to a power of 1, measured with a margin; quadratic work has 2."""

    def seconds(characters: int, _run: int) -> float:
        start = time.thread_time()
        rule_ranges("Anna" + piece * (characters // len(piece)), "en")
        return time.thread_time() - start

    growth, _ = pump.exponent(seconds, 160_000, 0.05, 1.6)
    assert growth <= 1.6
