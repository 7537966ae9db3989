"""What a change costs an index."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunking import DocumentAnalysis, from_text, parse
from chunking.retrieval.update_cost import EmbeddedChunk, UpdateCost, embedded_chunks, update_cost

TEXT = "# Tea\n\nBoil the water.\n\n## Green\n\nCool it first.\n\n## White\n\nWait a little.\n"


def chunks(text: str, setting: str = "heading") -> list[EmbeddedChunk]:
    return embedded_chunks(parse(setting).run(DocumentAnalysis(from_text(text, "tea.md"))), "cl100k_base")


def test_only_what_an_edit_touches_is_embedded_again() -> None:
    before = chunks(TEXT)
    edited = update_cost(before, chunks(TEXT.replace("Cool it", "Cool the water")))
    assert (edited.kept, edited.changed, edited.new, edited.removed) == (2, 1, 0, 0)
    assert 0 < edited.embedded < edited.tokens and edited.differs
    added = update_cost(before, chunks("# Bread\n\nKnead it.\n\n" + TEXT))
    assert (added.kept, added.changed, added.new, added.removed) == (3, 0, 1, 0)
    gone = update_cost(before, chunks(TEXT[: TEXT.index("## White")]))
    assert (gone.kept, gone.removed, gone.embedded) == (2, 1, 0) and gone.differs
    renamed = update_cost(before, chunks(TEXT.replace("# Tea", "# Teas", 1)))
    assert (renamed.kept, renamed.changed) == (0, 3), "the path of each is embedded with it"
    assert not update_cost(before, before).differs and update_cost(before, before).share == 0


def test_the_context_is_counted_where_the_chunk_does_not_begin_with_it() -> None:
    (tea, green, _) = chunks(TEXT)
    alone = chunks("## Green\n\nCool it first.\n\n")[0]
    assert green.tokens > alone.tokens and tea.tokens == chunks(TEXT)[0].tokens


def test_a_price_is_that_of_the_tokens_to_embed() -> None:
    cost = UpdateCost(kept=3, new=1, embedded=500_000, tokens=2_000_000)
    assert cost.price(0.02) == 0.01 and cost.share == 0.25
    assert cost + cost == UpdateCost(kept=6, new=2, embedded=1_000_000, tokens=4_000_000)


ids = st.lists(st.integers(0, 12), unique=True).map(lambda numbers: [EmbeddedChunk(str(n), n) for n in numbers])


@given(ids, ids)
def test_every_chunk_is_counted_once(before: list[EmbeddedChunk], after: list[EmbeddedChunk]) -> None:
    cost = update_cost(before, after)
    assert cost.kept + cost.changed + cost.removed == len(before)
    assert cost.kept + cost.changed + cost.new == len(after)
    assert min(cost.kept, cost.changed, cost.new, cost.removed) >= 0
    assert cost.embedded == sum(chunk.tokens for chunk in after if chunk not in before)
