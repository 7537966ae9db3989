from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.store.identity import LOCAL, NAME_LENGTH, ROLES, STRANGER, Rules, display_name, including

CLAIMS: dict[str, Any] = {"iss": "https://login", "sub": "7", "exp": 1000, "iat": 400, "name": "Ada Lovelace"}
EVERYBODY = {"reader": ["*"]}


def rules(roles: dict[str, Any] | None = None, **access: Any) -> Rules:
    return Rules.read(EVERYBODY if roles is None else roles, access)


def test_an_identity_is_made_of_issuer_and_subject() -> None:
    found = rules().identity(CLAIMS, 999)
    assert (found.subject, found.name, found.roles, found.expires) == (
        "https://login|7", "Ada Lovelace", frozenset(["reader"]), 1000,
    )  # fmt: skip
    assert found.is_known and not LOCAL.is_known and not STRANGER.is_known


@pytest.mark.parametrize(
    "change",
    [
        {"iss": None},
        {"sub": ""},
        {"sub": 7},
        {"exp": None},
        {"exp": "9999"},
        {"exp": True},
        {"exp": 999},
        {"exp": 998.5},
    ],
)
def test_claims_that_are_incomplete_or_have_expired_are_a_strangers(change: dict[str, Any]) -> None:
    assert rules().identity({**CLAIMS, **change}, 999) is STRANGER


def test_a_log_in_may_last_longer_or_shorter_than_its_token() -> None:
    longer = rules(hours=1)
    assert longer.identity(CLAIMS, 3999).expires == 400 + 3600
    assert longer.identity(CLAIMS, 4000) is STRANGER
    assert rules(hours=0.1).identity(CLAIMS, 800) is STRANGER


@pytest.mark.parametrize(
    "member, claims, has",
    [
        ("*", {}, True),
        ("sub:7", {}, True),
        ("sub:8", {}, False),
        ("ada@example.org", {"email": "Ada@Example.org", "email_verified": True}, True),
        ("ada@example.org", {"email": "ada@example.org"}, False),
        ("ada@example.org", {"email": "ada@example.org", "email_verified": "true"}, False),
        ("@example.org", {"email": "ada@example.org", "email_verified": True}, True),
        ("@example.org", {"email": "ada@evil-example.org", "email_verified": True}, False),
        ("@example.org", {"email": "ada@example.org@evil", "email_verified": True}, False),
        ("group:chunks", {"groups": ["staff", "chunks"]}, True),
        ("group:chunks", {"groups": "chunks"}, True),
        ("group:chunks", {"groups": ["chunkscope"]}, False),
        ("group:chunks", {"name": "group:chunks"}, False),
        ("sub:7", {"sub": "8", "groups": ["sub:7", "*"]}, False),
    ],
)
def test_who_is_a_member(member: str, claims: dict[str, Any], has: bool) -> None:
    assert rules({"admin": [member]}).identity({**CLAIMS, **claims}, 0).may("admin") is has


def test_an_address_that_is_not_verified_counts_where_the_settings_say_so() -> None:
    found = rules({"reader": ["@example.org"]}, trust_email=True)
    assert found.identity({**CLAIMS, "email": "ada@example.org"}, 0).email == "ada@example.org"


@pytest.mark.parametrize(
    "name, claims",
    [
        ("roles", {"roles": ["reviewer", "offline"]}),
        ("https://app/roles", {"https://app/roles": "reviewer"}),
        ("realm_access.roles", {"realm_access": {"roles": ["reviewer"]}}),
    ],
)
def test_a_claim_may_name_the_role_itself(name: str, claims: dict[str, Any]) -> None:
    found = rules({}, roles_claim=name).identity({**CLAIMS, **claims}, 0)
    assert found.roles == {"reader", "reviewer"}
    assert rules({}, roles_claim=name).identity(CLAIMS, 0).roles == frozenset()


def test_groups_are_teams() -> None:
    assert rules().identity({**CLAIMS, "groups": ["a", "b"]}, 0).teams == {"a", "b"}


@pytest.mark.parametrize(
    "roles, access",
    [
        ({"owner": ["*"]}, {}),
        ({"reader": "everybody"}, {}),
        ({"reader": ["ada"]}, {}),
        ({"reader": ["@"]}, {}),
        ({"reader": ["group:"]}, {}),
        ({"reader": [7]}, {}),
        ({}, {}),
        ({"reader": []}, {}),
        (EVERYBODY, {"role_claim": "roles"}),
        (EVERYBODY, {"hours": -1}),
        (EVERYBODY, {"hours": True}),
        (EVERYBODY, {"class_exercises": "yes"}),
        (EVERYBODY, {"name_claim": 3}),
        (EVERYBODY, {"members": {}}),
    ],
)
def test_invalid_settings_are_refused_with_a_remedy(roles: dict[str, Any], access: dict[str, Any]) -> None:
    with pytest.raises(ChunkscopeError) as error:
        Rules.read(roles, access)
    assert error.value.remedy


def test_each_role_includes_those_before_it() -> None:
    assert [sorted(including([role])) for role in ROLES] == [
        ["reader"], ["reader", "reviewer"], ["admin", "reader", "reviewer"],
    ]  # fmt: skip
    assert including([]) == frozenset()


def test_what_requires_a_role_says_which() -> None:
    rita = rules().identity(CLAIMS, 0)
    rita.require("reader", "Reading")
    with pytest.raises(ChunkscopeError, match="Deleting requires the role admin"):
        rita.require("admin", "Deleting")
    with pytest.raises(ChunkscopeError, match="Reading requires a log-in"):
        STRANGER.require("reader", "Reading")
    LOCAL.require("admin", "Deleting")


@given(st.text())
def test_a_display_name_is_one_short_visible_line(text: str) -> None:
    name = display_name(text)
    assert len(name) <= NAME_LENGTH
    assert name == " ".join(name.split()) and name.isprintable()


@given(st.dictionaries(st.sampled_from(["iss", "sub", "exp", "iat", "groups", "email", "name"]), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)))  # fmt: skip
def test_no_claims_break_the_rules_or_give_a_role_that_no_rule_gives(claims: dict[str, Any]) -> None:
    found = rules({"reader": ["group:x"], "admin": ["sub:nobody-has-this"]}).identity(claims, 0)
    assert not found.may("admin")
