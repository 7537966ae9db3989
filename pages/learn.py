"""Learn: how text is divided into chunks, in ten chapters that are predicted first and then seen."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from pages.shared import identity, state
from pages.shared.frame import frame, login, markup
from pages.shared.learn import chapter, classroom, lesson, progress, summary, texts
from pages.shared.learn.lesson import Lesson
from pages.shared.learn.texts import CHAPTERS, LANGUAGES, SUMMARY, Texts
from pages.shared.settings import controls
from pages.shared.state import SessionValue, session

frame.require_app_frame("pages/learn.py")

_LANGUAGE, _CHAPTER, _TEXT = "lang", "chapter", "_learn_own_text"
_TOO_LONG = SessionValue("_learn_too_long", bool)


def main() -> None:
    progress.begin()
    code = state.address().text(classroom.CLASS)
    if not code:
        login.require_reader("learn", guests=False)
    with st.sidebar:
        list_of_chapters = st.container()
        written = texts.load(choose_language())
    if code:
        classroom.show(code, written)
    else:
        with list_of_chapters:
            name = choose_chapter(written)
        with st.sidebar:
            if identity.current().may("reader"):
                own_progress(written)
            if identity.current().may("reviewer"):
                classroom.opener(CHAPTERS[-1] if name == SUMMARY else name, written)
        learn(name, written)
    progress.keep()


def own_progress(written: Texts) -> None:
    """Draw what concerns the chapters: the learner's own text, and the way to begin again."""
    st.caption(written["kept"])
    text_form(written)
    st.button(written["reset"], key="_learn_reset", on_click=progress.forget, icon=":material/delete:")


def choose_language() -> str:
    """Draw the choice of the language, at first that of the browser, and return it."""
    browser = (st.context.locale or "").split("-")[0]
    return controls.segments(
        "Language / Sprache",
        LANGUAGES,
        name=_LANGUAGE,
        default=browser if browser in LANGUAGES else LANGUAGES[0],
        titles=lambda code: texts.load(code)["language"],
    )


def choose_chapter(written: Texts) -> str:
    """Draw the list of the chapters, and return the one that is open."""
    done = progress.done()
    share = 100 * len(done) / len(CHAPTERS)  # no progress bar of Streamlit: that says that something is running
    markup.show(
        f"<div>{markup.escape(written['done'].format(done=len(done)))}</div>"
        f'<div class="cs-scale cs-learn-done"><i style="width: {share:.0f}%"></i></div>'
    )

    def title(name: str) -> str:
        number = "" if name == SUMMARY else f"{'✓' if name in done else name}\u2002"
        return markup.plain(number + title_of(name, written))

    with st.container(key="_learn_list"):
        return controls.listed(
            written["chapter"], (*CHAPTERS, SUMMARY), name=_CHAPTER, titles=title, label_visibility="collapsed"
        )


def title_of(name: str, written: Texts) -> str:
    """Return the title of a chapter, or of the summary."""
    return written["summary"] if name == SUMMARY else written.chapters[name].title


def learn(name: str, written: Texts) -> None:
    """Show the chapter that is open, or what was learnt in all of them."""
    state.address().write()
    if name == SUMMARY:
        summary.show(written, lambda: steps(name, written))
    else:
        chapter.show(name, lesson_of(name, written), written, lambda: steps(name, written))


def lesson_of(name: str, written: Texts) -> Lesson:
    """Return the text of a chapter: the learner's own, or the sample."""
    own_text = progress.get(progress.OWN_TEXT)
    if own_text:
        try:
            return lesson.from_own_text(own_text)
        except ChunkscopeError:
            frame.show_error(ChunkscopeError(written["too_short"], written["too_short_remedy"]))
    return lesson.sample_of(name)


def steps(name: str, written: Texts) -> None:
    """Draw the ways to the chapters before and after, which are called by their titles."""
    order = (*CHAPTERS, SUMMARY)
    index = order.index(name)
    with st.container(horizontal=True):
        for step, key, icon in ((-1, "previous", "arrow_back"), (1, "next", "arrow_forward")):
            if 0 <= index + step < len(order):
                other = order[index + step]
                st.button(
                    markup.plain(title_of(other, written)),
                    key=f"_learn_{key}",
                    on_click=state.address().put,
                    args=(_CHAPTER, other),
                    icon=f":material/{icon}:",
                    help=written[key],
                )


def text_form(written: Texts) -> None:
    """Draw the field for a text of the learner's own."""
    own_text = progress.get(progress.OWN_TEXT)
    key = f"{_TEXT}_{progress.is_loaded()}"
    with st.expander(written["own_text"]):
        st.text_area(
            written["own_text"],
            own_text,
            key=key,
            height=180,
            help=written["own_text_help"],
            label_visibility="collapsed",
        )
        st.button(written["use_text"], key="_learn_use_text", on_click=_use, args=(key,))
        if _TOO_LONG.pop():
            frame.show_error(ChunkscopeError(written["too_long"], written["too_long_remedy"]))
        if own_text:
            st.button(written["sample_text"], key="_learn_sample", on_click=progress.put, args=(progress.OWN_TEXT, ""))


def _use(key: str) -> None:
    text = str(session.widget_value(key, "")).strip()
    _TOO_LONG.set(len(text) > lesson.MOST_CHARACTERS)
    if not _TOO_LONG.get():
        progress.put(progress.OWN_TEXT, text)


frame.run(main)
