"""Controls begin with the value of the session, whichever run's message the browser builds them from."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest


def page() -> None:
    from chunking import strategies
    from pages.shared import state
    from pages.shared.settings import controls

    state.arrive("pages/some.py")
    controls.text("Name", name="name", max_chars=9)
    controls.toggle("Blind", name="blind")
    controls.select("Order", ("text", "random"), name="order")
    controls.number("Tokens", 1, 99, 5, name="tokens")
    alpha = next(known for known in strategies.get("structural").params.describe() if known.name == "alpha")
    state.address().receive("structural_alpha", alpha.check(0.3), controls.accept(alpha))
    controls.parameter(alpha, "structural_alpha")
    state.address().write()


def drawn(app: AppTest) -> list[Any]:
    """Return the messages of the controls."""
    return [found[0].proto for found in (app.text_input, app.toggle, app.selectbox, app.number_input, app.slider)]


def test_a_control_that_is_built_from_a_later_run_begins_with_the_value_of_the_session() -> None:
    """A run that is broken off may have sent nothing; what was set in it is not sent again."""
    app = AppTest.from_function(page)
    for name, value in {"name": "Ana", "blind": "true", "order": "random", "tokens": "7"}.items():
        app.query_params[name] = value
    app.run()
    assert all(proto.set_value for proto in drawn(app)), "the first run sends the values along"
    app.run()
    assert not any(proto.set_value for proto in drawn(app))
    name, blind, order, tokens, alpha = (proto.default for proto in drawn(app))
    assert (name, blind, order, tokens, list(alpha)) == ("Ana", True, 1, 7, [0.3])


def test_a_value_that_the_user_has_changed_is_kept() -> None:
    app = AppTest.from_function(page)
    app.query_params["name"] = "Ana"
    app.run()
    app.text_input[0].set_value("Ben").run()
    app.run()
    assert app.text_input[0].value == app.text_input[0].proto.default == "Ben"
    app.text_input[0].set_value("").run()
    assert app.text_input[0].value == app.text_input[0].proto.default == ""
    assert "name" not in app.query_params
