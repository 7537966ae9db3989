from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.loading import language, load
from chunking.loading.language import _SCRIPTS, LANGUAGES, SAMPLE, _identifier, detect, detect_in_data


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "The quick brown fox jumps over the lazy dog and runs away."),
        ("de", "Der schnelle braune Fuchs springt über den faulen Hund."),
        ("fr", "Le café est fermé aujourd’hui, je reviendrai demain."),
        ("es", "El niño está aquí con su madre y quiere comer."),
        ("ko", "안녕하세요 여러분, function foo 를 호출합니다"),
        ("ja", "これは日本語のテキストです"),
        ("ja", "東京都庁舎の展望室は無料"),
        ("zh", "这是中文的文本"),
        ("th", "ภาษาไทย"),
        ("ar", "مرحبا بالعالم هذا نص عربي طويل"),
        ("fa", "سلام دنیا، این یک متن فارسی است که می‌نویسم"),
        ("he", "שלום עולם"),
        ("ru", "Привет, как дела? Сегодня хорошая погода."),
        ("uk", "Привіт, як справи? Це український текст про погоду."),
        ("el", "Καλημέρα κόσμε"),
        ("hi", "नमस्ते दुनिया, यह हिन्दी है"),
        ("und", "Short text."),
        ("und", ""),
        ("und", "12345 67890 !!! ??? 12345 67890"),
    ],
)
def test_known_languages(code: str, text: str) -> None:
    assert detect(text) == code


def test_capitals_make_no_difference() -> None:
    assert detect("THIS IS A NOTICE TO ALL MEMBERS OF THE HOUSE.") == "en"


def test_the_sample_is_spread_over_the_text() -> None:
    foreign_start = "Der schnelle braune Fuchs springt. " * (SAMPLE // 350)
    assert detect(foreign_start + "The rest of this long document is in English. " * 2000) == "en"


@given(st.text(max_size=60))
def test_any_text_has_a_code(text: str) -> None:
    code = detect(text)
    assert code == detect(text)
    assert code in LANGUAGES


def test_every_language_has_a_name() -> None:
    told = {"und", *map(str, _identifier().nb_classes), *(code for _, codes in _SCRIPTS for code in codes)}
    assert set(LANGUAGES) == told - {"zxx"}
    assert list(LANGUAGES.values()) == sorted(LANGUAGES.values())
    assert len(set(LANGUAGES.values())) == len(LANGUAGES)


def test_the_model_is_read_only_when_needed() -> None:
    program = """
import sys
from chunking.loading.language import detect
detect('안녕하세요')
print('py3langid' in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("service.yaml", "server:\n  host: localhost\n  port: 8080\nlogging:\n  level: info\n  format: json\n", "und"),
        (
            "build.yml",
            "name: build\non: [push]\njobs:\n  test:\n    steps:\n      - uses: checkout@v4\n",
            "und",
        ),
        ("package.json", '{"name": "kettle", "dependencies": {"left-pad": "^1.3.0", "lodash": "^4.17.21"}}', "und"),
        ("stock.csv", "id,name,price\n1,widget,2.30\n2,gadget,4.50\n3,sprocket,9.99\n", "und"),
        (
            "filler.yaml",
            "paths:\n  get:\n    operationId: find\n" * 9 + "  note: Nam sed est magna vita.\n",
            "und",
        ),
        ("faq.json", '[{"q": "How do I water plums?", "a": "In the morning, before the sun is high."}]', "en"),
        ("reviews.csv", "id,text\n1,It broke after two weeks and nobody answered my letters.\n", "en"),
        ("regeln.yaml", "regeln:\n  - Das Betreten der Beete ist verboten.\n  - Hunde bleiben an der Leine.\n", "de"),
        ("garden.json", '{"설명": "아침에 물을 주세요. 잎이 젖으면 안 됩니다."}', "ko"),
        ("garden.yaml", "text: 朝早く水をやってください。葉が濡れたままではいけません。\n", "ja"),
    ],
)
def test_data_has_a_language_only_where_it_is_mostly_prose(name: str, text: str, code: str) -> None:
    assert load(text.encode(), name).language == code


@given(st.text(max_size=200))
def test_any_data_has_a_code(text: str) -> None:
    assert detect_in_data(text) in LANGUAGES


def test_running_english_needs_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_identifier", lambda: pytest.fail("the model was loaded"))
    text = "The tide rises twice a day, and the boats that lie in the harbour wait for it. " * 4
    assert detect(text) == "en"


def test_a_few_english_words_decide_nothing() -> None:
    text = "Das Team hat am Freitag ein Meeting zum Release, und danach gehen alle zusammen essen. " * 4
    assert detect(text + "The end of it is in the log. ") == "de"
