"""Settings files: read, written and compared, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text, load_settings, split, strategies
from chunking.chunks.edits import MOST, Edit, edit_at
from chunking.loading import LoadParameters, load
from chunking.params import Parameter, Value
from chunking.settings import (
    SettingsFile,
    difference,
    difference_text,
    read_settings,
    setting_difference,
    settings_of,
    settings_toml,
)
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples

FILE = """
encoder = "static"
tokenizer = "encoder"
splitter = "rules"
language = "en"
content = "main"

[settings.guide]
strategy = "structural"
alpha = 0.3
max_tokens = 512
features_off = ["list_edge", "heading"]

[settings."a, b"]
strategy = "structural"
preset = "reference"
percentile = 80
"""


def read(text: str) -> SettingsFile:
    return read_settings(text.encode(), "mine.toml")


def test_a_file_holds_settings_and_how_documents_are_read() -> None:
    file = read(FILE)
    assert file.setting("guide") == strategies.parse(
        "structural:alpha=0.3;max_tokens=512;features_off=heading+list_edge"
    )
    assert file.setting("a, b") == strategies.parse("structural:preset=reference;percentile=80")
    assert file.tools == Models("static", "encoder", "rules")
    assert (file.language, file.loading) == ("en", LoadParameters(content="main"))


def test_the_tokenizer_of_the_encoder_follows_the_encoder() -> None:
    assert read(FILE).with_reading({"encoder": "all-MiniLM-L6-v2"}).tools == Models(
        "all-MiniLM-L6-v2", "encoder", "rules"
    )


def test_an_empty_file_has_the_defaults() -> None:
    file = read("")
    assert (file.tools, file.language, file.loading) == (Models(), None, LoadParameters())
    with pytest.raises(ChunkscopeError, match=r"mine\.toml has no setting\. Add a table"):
        file.setting()


def test_a_setting_is_named_where_there_are_several(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE, encoding="utf-8")
    file = load_settings(path)
    with pytest.raises(ChunkscopeError, match=r"mine\.toml has several settings\. Name one of: guide, a, b"):
        file.setting()
    with pytest.raises(ChunkscopeError, match="no setting 'other'"):
        file.setting("other")
    with pytest.raises(ChunkscopeError, match="cannot be read"):
        load_settings(tmp_path / "absent.toml")


def test_the_library_splits_with_a_setting_of_a_file() -> None:
    file = read('encoder = "char-ngrams"\n[settings.one]\nstrategy = "heading"\nlevel = 1\n')
    text = "# Tea\n\nBoil water.\n\n# Bread\n\nKnead dough.\n"
    assert split(text, file.setting(), file.tools) == split(text, "heading:level=1", file.tools)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", r"mine\.toml is not valid TOML: .*"),
        (
            'encodr = "static"',
            r"mine\.toml: Unknown key 'encodr'\. Use encoder, tokenizer, splitter, language, content,",
        ),
        ('encoder = "oracle"', r"mine\.toml, encoder: Unknown encoder 'oracle'\. Choose one of: all-MiniLM-L6-v2,"),
        ('tokenizer = "abacus"', r"mine\.toml, tokenizer: Unknown tokenizer 'abacus'\. Choose one of: cl100k_base"),
        ('splitter = "axe"', r"mine\.toml, splitter: Unknown sentence splitter 'axe'\. Choose one of .*rules"),
        ('language = "Klingonese!"', r"mine\.toml, language: 'Klingonese!' is not a language code"),
        ('content = "half"', r"mine\.toml: content cannot be 'half'\. Use one of all, main"),
        ("encoder = 3", r"mine\.toml: encoder is not a text"),
        ("settings = 3", r"mine\.toml: settings is not a set of tables"),
        ("[settings]\na = 3", r"mine\.toml: settings is not a set of tables"),
        ("[settings.a]", r"mine\.toml, \[settings\.a\]: It has no strategy\. Add strategy = one of: structural,"),
        (
            '[settings.a]\nstrategy = "telepathy"',
            r"\[settings\.a\]: Unknown strategy 'telepathy'\. Choose one of: ",
        ),
        ('[settings.a]\nstrategy = ["heading"]', r"\[settings\.a\]: strategy is not a text"),
        (
            '[settings.a]\nstrategy = "heading"\nlvl = 2',
            r"Unknown parameter 'lvl'\. Choose one of: level,",
        ),
        ('[settings.a]\nstrategy = "heading"\nlevel = 99', r"level cannot be 99\. Use a whole number from 1 to 6"),
        ('[settings.a]\nstrategy = "heading"\nlevel = true', r"level cannot be True\. Use a whole number from 1 to 6"),
        (
            '[settings.a]\nstrategy = "heading"\nlevel = 1979-05-27',
            r"level cannot be datetime.date.*Use a whole",
        ),
        ('[settings.a]\nstrategy = "structural"\nalpha = "0.3"', r"alpha cannot be '0\.3'\. Use a number from 0 to 1"),
        ('[settings.a]\nstrategy = "structural"\nalpha = nan', r"alpha cannot be nan\. Use a number from 0 to 1"),
        (
            '[settings.a]\nstrategy = "structural"\nfeatures_off = ["magic"]',
            r"features_off cannot be \['magic'\]\. Use any of heading,",
        ),
        ('[settings.a]\nstrategy = "structural"\nfeatures_off = [["magic"]]', r"features_off cannot be"),
        (
            '[settings.a]\nstrategy = "structural"\npreset = "magic"',
            r"no preset 'magic'\. Presets: default, unlimited, reference",
        ),
        ('[settings.a]\nstrategy = "structural"\nmin_tokens = 90\nmax_tokens = 80', r".*is larger than"),
        ('[settings.a]\nstrategy = "structural"\nembed = "late"', r"\[settings\.a\]: embed=late .* changes no chunk"),
        (
            '[settings.a]\nstrategy = "heading"\nlevel = 0x' + "f" * 9000,
            r"level is not a number of 64 bits\. Use",
        ),
        ('[settings.a]\nstrategy = "heading"\nlevel = ' + "9" * 9000, r"mine\.toml is not valid TOML"),
        ("edits = 3", r"mine\.toml: edits is not a list of tables\. Write \[\[edits\]\]"),
        ('[[edits]]\naction = "cut"', r"\[\[edits\]\] 1: document is not a text"),
        (
            '[[edits]]\ndocument = "a.md"\naction = "move"\nbefore = "a"\nafter = "b"',
            r"\[\[edits\]\] 1: Unknown action 'move' of an edit\. Use cut or join",
        ),
        (
            '[[edits]]\ndocument = "a.md"\nwhere = "b"',
            r"\[\[edits\]\] 1: It: Unknown key 'where'\. Use document,",
        ),
        (
            '[[edits]]\ndocument = "a.md"\naction = "cut"\nbefore = "a"\nafter = "b"\noffset = true',
            r"\[\[edits\]\] 1: offset is not a whole number",
        ),
        ("a = " + "[" * 5000, r"mine\.toml is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_with_file_key_and_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        read(text)


def test_only_utf8_is_read_with_or_without_a_mark() -> None:
    assert read_settings(b'\xef\xbb\xbflanguage = "en"', "mine.toml").language == "en"
    with pytest.raises(ChunkscopeError, match=r"mine\.toml is not in UTF-8\. Save it"):
        read_settings('encoder = "caf\xe9"'.encode("latin-1"), "mine.toml")


# --- written and read back -----------------------------------------------------------------------------------------


def values(known: Parameter) -> st.SearchStrategy[Value]:
    if known.type == "choices":
        return st.sets(st.sampled_from(known.choices)).map(tuple)
    if known.type == "choice":
        return st.sampled_from(known.choices)
    assert known.minimum is not None and known.maximum is not None
    if known.type == "integer":
        return st.integers(int(known.minimum), int(known.maximum))
    return st.floats(known.minimum, known.maximum)


@settings(max_examples=examples(150))
@given(st.data(), st.text(min_size=1, max_size=9))
def test_every_setting_is_read_back_as_it_was_written(data: st.DataObject, name: str) -> None:
    strategy = data.draw(st.sampled_from(list(strategies.REGISTRY.values())))
    described = strategy.params.describe()
    names = data.draw(st.sets(st.integers(0, len(described)), max_size=4))
    chosen = [known for place, known in enumerate(described) if place in names]
    given = {known.name: data.draw(values(known)) for known in chosen}
    try:
        setting = strategies.Setting(strategy, strategy.params.parse({}, given))
    except ChunkscopeError:
        return  # values that contradict each other
    file = SettingsFile({name: setting}, encoder="static", language="de")
    text = settings_toml(file)
    again = read(text)
    back = next(iter(again.settings.values()))
    assert settings_toml(again) == text
    idle = setting.params.inactive
    assert back.strategy is strategy
    assert {key: value for key, value in back.params.values().items() if key not in idle} == {
        key: value for key, value in setting.params.values().items() if key not in idle
    }
    assert again.reading() == file.reading()


@settings(max_examples=100)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    ).filter(lambda value: "None" not in repr(value)),
    st.sampled_from(["encoder", "language", "settings", "other"]),
)
def test_any_toml_is_read_or_refused(value: object, key: str) -> None:
    try:
        read(tomli_w.dumps({key: value}))
    except ChunkscopeError as error:
        assert "mine.toml" in str(error)


def test_the_file_of_a_result_makes_the_same_chunks_again() -> None:
    page = b"<html><body><nav>Home</nav><h1>Tea</h1><p>Boil it. Wait.</p><h1>Bread</h1><p>Bake it.</p></body></html>"
    document = load(page, "tea.html", "en", LoadParameters(content="main"))
    tools = Models("char-ngrams", "all-MiniLM-L6-v2", "rules")
    made = strategies.parse("structural:alpha=0.2;percentile=50").run(DocumentAnalysis(document, tools))
    file = read(settings_toml(settings_of(made, tools)))
    again = load(page, "tea.html", file.language, file.loading)
    assert file.setting().run(DocumentAnalysis(again, file.tools)).chunks == made.chunks
    assert file.loading.content == "main"


def test_a_language_that_was_not_recognised_is_left_to_the_next_reader() -> None:
    document = from_text("1 2 3", language=None)
    assert document.language == "und"
    made = strategies.parse("whole").run(DocumentAnalysis(document, Models("char-ngrams")))
    assert settings_of(made, Models("char-ngrams")).language is None


def test_edits_by_hand_are_written_and_make_the_same_chunks_of_the_document_that_they_name() -> None:
    text = "# Tea\n\nBoil it. Wait “long”.\n\n# Bread\n\nKnead it. Bake it.\n"
    document = load(text.encode(), "tea [1].md", "en")
    edits = [edit_at(text, "cut", text.index("Bake")), edit_at(text, "join", text.index("# Bread"))]
    tools = Models("char-ngrams", splitter="rules")
    made = strategies.parse("heading").run(DocumentAnalysis(document, tools).with_edits(edits))
    file = read(settings_toml(settings_of(made, tools)))
    assert file.edits_for("guide/tea [1].md") == tuple(edits) and file.edits_for("other.md") == ()
    again = DocumentAnalysis(document, file.tools).with_edits(file.edits_for(document.name))
    assert file.setting().run(again).chunks == made.chunks
    assert [chunk.cut.reason for chunk in made.chunks if chunk.cut] == ["hand"]


def test_edits_without_an_offset_are_written_by_hand() -> None:
    row = '[[edits]]\ndocument = "*.md"\naction = "cut"\nbefore = "Knead it."\nafter = "Bake it."\n'
    assert read(row).edits_for("bread.md") == (Edit("cut", "Knead it.", "Bake it."),)
    assert "offset" not in settings_toml(read(row))
    many = row * (MOST + 1)
    with pytest.raises(ChunkscopeError, match=f"has {MOST + 1:,} edits"):
        read(many)


# --- differences ---------------------------------------------------------------------------------------------------


def test_what_differs_is_listed_with_both_values() -> None:
    before, after = read(FILE), read(FILE.replace("alpha = 0.3", "alpha = 0.5").replace('language = "en"', ""))
    changes = difference(before, after)
    assert [(each.setting, each.key, each.before, each.after) for each in changes] == [
        ("", "language", "en", None),
        ("guide", "alpha", "0.3", "0.5"),
    ]
    assert difference_text(changes, "a.toml", "b.toml") == (
        "a.toml → b.toml\nlanguage: en → –\n[guide]\n  alpha: 0.3 → 0.5\n"
    )


def test_a_default_that_is_written_out_is_no_difference() -> None:
    short = read('[settings.a]\nstrategy = "heading"\n')
    assert difference(short, read(settings_toml(short))) == ()
    assert "hold the same settings" in difference_text((), "a.toml", "b.toml")


def test_other_strategies_and_settings_that_one_file_lacks_are_whole_lines() -> None:
    before = read('[settings.a]\nstrategy = "heading"\n[settings.b]\nstrategy = "whole"\n')
    after = read('[settings.a]\nstrategy = "recursive"\nsize = 300\n[settings.c]\nstrategy = "whole"\n')
    assert [(each.setting, each.before, each.after) for each in difference(before, after)] == [
        ("a", "heading", "recursive:size=300"),
        ("b", "whole", None),
        ("c", None, "whole"),
    ]


def test_edits_that_differ_are_listed() -> None:
    row = '[[edits]]\ndocument = "a.md"\naction = "{}"\nbefore = "Knead it."\nafter = "Bake it."\n'
    changes = difference(read(row.format("cut")), read(row.format("join")))
    assert [(each.setting, each.key, each.before, each.after) for each in changes] == [
        ("edits", "a.md, “Knead it.” | “Bake it.”", "cut", "join")
    ]
    assert [each.after for each in difference(read(row.format("cut")), read(""))] == [None]


def test_the_only_settings_of_two_files_are_compared_whatever_their_names() -> None:
    before, after = (
        read(f'[settings.{name}]\nstrategy = "heading"\nlevel = {level}\n') for name, level in ("a1", "b2")
    )
    (change,) = difference(before, after)
    assert (change.setting, change.key, change.before, change.after) == ("a / b", "level", "1", "2")


def test_a_name_cannot_steer_a_terminal() -> None:
    before, after = (read(f'[settings."\\u001b[31m"]\nstrategy = "heading"\nlevel = {level}\n') for level in "12")
    assert "\x1b" not in difference_text(difference(before, after), "a\x1b.toml", "b.toml")


def test_two_settings_differ_in_what_is_set_or_as_a_whole() -> None:
    default, moved, other = (
        strategies.parse(line) for line in ("structural", "structural:alpha=0.8;overlap=2", "heading")
    )
    assert setting_difference(default, default) == ()
    found = [(change.key, change.before, change.after) for change in setting_difference(default, moved)]
    assert found == [("alpha", "0.5", "0.8"), ("overlap", "0", "2")]
    (whole,) = setting_difference(moved, other)
    assert (whole.key, whole.before, whole.after) == ("strategy", moved.text, "heading")
