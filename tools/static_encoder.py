"""Make the vectors of the encoder ``static``: ``python -m tools.static_encoder DATA`` (``make static``).

1. Read the sentences, see :mod:`tools.static_corpus`.
2. Embed them with all-MiniLM-L6-v2, the teacher. Vectors are kept in the folder ``--work``: half an hour, once.
3. Reduce the teacher's vectors to the dimensions of the encoder, by their principal components.
4. Fit a vector to each word piece such that a sentence's mean has the direction of its teacher (cosine loss), and such
   that the cosines between sentences, and between blocks of neighbours, are those of the teacher (Gram loss).
   Half of the batches are stretches of one source, as a document is: near neighbours must be distinguished.
5. Round to whole numbers, and write ``chunking/embedding/static.npz``.

One thread and fixed seeds: the same teacher's vectors give the same file, bit by bit, with the same version of PyTorch
on the same kind of processor. The teacher's own are rounded to float16 first, which hides most of what differs between
processors, but not all. ``--check`` makes everything again and compares with the file that is there.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.embedding import get_encoder, static
from chunking.embedding.vector_cache import VectorCache
from chunking.tokens import minilm_folder
from tools.static_corpus import Source, read_corpus

_HELD_OUT = ("holmes", "python_devguide", "sociology")
"""Sources that nothing is fitted to: what is reported of each epoch is measured on them."""


_SILENT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""Pieces that say nothing."""


@dataclass(frozen=True)
class Fit:
    """How the vectors are fitted.

    Attributes:
        dimension: of a vector.
        epochs: passes over all sentences; the learning rate falls to zero over them.
        rate: the highest learning rate, of Adam.
        batch: sentences of a batch.
        stretches: share of the batches that are stretches of neighbouring sentences.
        gram, blocks: weights of the losses of cosines between sentences, and between blocks.
        block: sentences of a block.
        smooth: frequency at which the first vector of a piece is halved.
        seeds: of the order of batches; the vectors of all are averaged.
    """

    dimension: int = static.Static.dimension
    epochs: int = 8
    rate: float = 3e-3
    batch: int = 1024
    stretches: float = 0.5
    gram: float = 20.0
    blocks: float = 20.0
    block: int = 3
    smooth: float = 1e-4
    seeds: tuple[int, ...] = (0, 1)


@dataclass(frozen=True, eq=False)
class Taught:
    """The sentences as word pieces, with their teacher's vectors.

    Attributes:
        vectors: ``(n, 384)`` float32.
        pieces: numbers of all word pieces, one sentence after the other.
        ends: ``(n + 1,)`` int64, where each sentence's pieces begin and end.
        held_out: ``(n,)`` bool.
    """

    vectors: npt.NDArray[np.float32]
    pieces: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    held_out: npt.NDArray[np.bool_]


def main() -> None:
    """Make the file, or check it."""
    parser = argparse.ArgumentParser(description="Make the vectors of the encoder static.")
    parser.add_argument("data", type=Path, help="folder with text/ and boundaries/")
    parser.add_argument("--work", type=Path, default=Path("build/static"), help="where the teacher's vectors are kept")
    parser.add_argument(
        "--check", action="store_true", help="compare with the file that is there instead of writing it"
    )
    options = parser.parse_args()
    vocabulary = read_vocabulary()
    taught = teach(read_corpus(options.data), list(vocabulary), options.work)
    made = packed(fitted(taught, list(vocabulary.values()), Fit()), list(vocabulary))
    digest = hashlib.sha256(made).hexdigest()
    if options.check:
        same = digest == static.STATIC_SHA256
        raise SystemExit(0 if same else f"The file would be another: its SHA-256 is {digest}.")
    static.STATIC_FILE.write_bytes(made)
    print(f"{static.STATIC_FILE}: {len(made):,} bytes. Set STATIC_SHA256 = {digest!r}.")


def read_vocabulary() -> dict[str, int]:
    """Return the word pieces of all-MiniLM-L6-v2 with their numbers there, without those that it never uses."""
    stored = json.loads((minilm_folder() / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return {piece: stored[piece] for piece in sorted(stored, key=stored.__getitem__) if not piece.startswith("[unused")}


def teach(sources: list[Source], vocabulary: list[str], work: Path) -> Taught:
    """Embed all sentences with the teacher, and cut them into word pieces."""
    work.mkdir(parents=True, exist_ok=True)
    texts = [text for source in sources for text in source.texts]
    cache = VectorCache(work / "teacher.sqlite3", max_bytes=8 * 2**30)
    vectors = _embedded(texts, cache)
    encodings = static.tokenizer_of(vocabulary).encode_batch(texts, add_special_tokens=False)
    ends = np.cumsum([0, *(len(each.ids) for each in encodings)], dtype=np.int64)
    pieces = np.concatenate([np.array(each.ids, dtype=np.int64) for each in encodings])
    held_out = np.repeat([source.name in _HELD_OUT for source in sources], [len(source.texts) for source in sources])
    return Taught(vectors, pieces, ends, held_out)


def _embedded(texts: list[str], cache: VectorCache, some: int = 8192) -> npt.NDArray[np.float32]:
    from chunking.embedding import embed

    teacher = get_encoder("all-MiniLM-L6-v2")
    found = np.empty((len(texts), teacher.dimension), dtype=np.float32)
    for start in range(0, len(texts), some):
        found[start : start + some] = embed(texts[start : start + some], teacher, cache, batch_size=2048)
        print(f"\r{min(start + some, len(texts)):,} of {len(texts):,} sentences", end="", flush=True)
    print()
    return found


def single_pieces(numbers: list[int]) -> npt.NDArray[np.float32]:
    """Return the teacher's vector of each word piece alone, ``(n_pieces, 384)`` float32."""
    import torch

    from chunking.embedding.encoders import open_model

    network: Any = open_model(minilm_folder())[0].auto_model
    found = []
    with torch.inference_mode():
        for start in range(0, len(numbers), 512):
            pieces = torch.tensor(numbers[start : start + 512])
            framed = torch.stack([torch.full_like(pieces, 101), pieces, torch.full_like(pieces, 102)], dim=1)
            states = network(input_ids=framed, attention_mask=torch.ones_like(framed)).last_hidden_state
            found.append(torch.nn.functional.normalize(states.mean(dim=1), dim=1).numpy())
    vectors: npt.NDArray[np.float32] = np.concatenate(found).astype(np.float16).astype(np.float32)
    return vectors


def first_vectors(
    taught: Taught, axes: npt.NDArray[np.float32], numbers: list[int], fit: Fit
) -> npt.NDArray[np.float32]:
    """Return the vectors to begin with: those of single pieces, centred, the frequent ones short."""
    alone = single_pieces(numbers) @ axes
    share = np.bincount(taught.pieces, minlength=len(numbers)) / len(taught.pieces)
    weights: npt.NDArray[np.float64] = fit.smooth / (fit.smooth + share)
    first: npt.NDArray[np.float32] = ((alone - alone.mean(axis=0)) * weights[:, None]).astype(np.float32)
    return first


def main_axes(vectors: npt.NDArray[np.float32], dimension: int) -> npt.NDArray[np.float32]:
    """Return the directions in which the teacher's vectors are longest, ``(384, dimension)`` float32."""
    scatter = (vectors.T @ vectors).astype(np.float64) / len(vectors)
    axes: npt.NDArray[np.float32] = np.linalg.eigh(scatter)[1][:, ::-1][:, :dimension].astype(np.float32)
    return axes


def fitted(taught: Taught, numbers: list[int], fit: Fit) -> npt.NDArray[np.float32]:
    """Fit the vectors of all word pieces, ``(n_pieces, dimension)`` float32; print each epoch's figures."""
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    axes = main_axes(taught.vectors[~taught.held_out], fit.dimension)
    first = first_vectors(taught, axes, numbers, fit)
    every = np.stack([_fitted_once(taught, first, axes, fit, seed) for seed in fit.seeds])
    mean: npt.NDArray[np.float32] = every.mean(axis=0, dtype=np.float32)
    return mean


def _fitted_once(
    taught: Taught, first: npt.NDArray[np.float32], axes: npt.NDArray[np.float32], fit: Fit, seed: int
) -> npt.NDArray[np.float32]:
    import torch

    # A copy: the fit changes the vectors in place.
    table = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(first.copy()), freeze=False, mode="mean")
    student = _Student(table, taught, torch.from_numpy(taught.vectors), torch.from_numpy(taught.vectors @ axes))
    optimizer = torch.optim.Adam(table.parameters(), lr=fit.rate)
    batches = list(_batches(np.flatnonzero(~taught.held_out), fit, seed))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, len(batches)))
    for step, batch in enumerate(batches, 1):
        loss = student.loss(batch, fit)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % (len(batches) // fit.epochs) == 0:
            print(f"step {step:,} of {len(batches):,}: {student.report(np.flatnonzero(taught.held_out))}", flush=True)
    vectors: npt.NDArray[np.float32] = table.weight.detach().numpy()
    return vectors


def _rate(step: int, steps: int) -> float:
    return min(1.0, (step + 1) / 50) * (0.51 + 0.49 * float(np.cos(np.pi * step / steps)))


def _batches(places: npt.NDArray[np.int64], fit: Fit, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    for _ in range(fit.epochs):
        order = random.permutation(places)
        for start in range(0, len(places) - fit.batch + 1, fit.batch):
            if random.random() < fit.stretches:
                start = int(random.integers(0, len(places) - fit.batch))
                yield places[start : start + fit.batch]
            else:
                yield order[start : start + fit.batch]


class _Student:
    """The table of vectors, and its losses against the teacher."""

    def __init__(self, table: Any, taught: Taught, teacher: Any, reduced: Any) -> None:
        from torch.nn.functional import normalize

        self._table, self._taught, self._teacher = table, taught, teacher
        self._reduced, self._unit = normalize(reduced, dim=1), normalize

    def vectors(self, batch: npt.NDArray[np.int64]) -> Any:
        """Return the unit vectors of sentences."""
        import torch

        begins, lengths = self._taught.ends[batch], self._taught.ends[batch + 1] - self._taught.ends[batch]
        starts = np.cumsum(lengths) - lengths
        places = np.repeat(begins - starts, lengths) + np.arange(lengths.sum())
        return self._unit(self._table(torch.from_numpy(self._taught.pieces[places]), torch.from_numpy(starts)), dim=1)

    def loss(self, batch: npt.NDArray[np.int64], fit: Fit) -> Any:
        """Return the weighted sum of the losses of a batch."""
        mine, true = self.vectors(batch), self._teacher[batch]
        found = 1 - (mine * self._reduced[batch]).sum(dim=1).mean() + fit.gram * _gram(mine, true)
        whole = len(batch) - len(batch) % fit.block
        blocks = (self._unit(each[:whole].unflatten(0, (-1, fit.block)).sum(dim=1), dim=1) for each in (mine, true))
        return found + fit.blocks * _gram(*blocks)

    def report(self, places: npt.NDArray[np.int64]) -> str:
        """Return how near the vectors are to the teacher's, in words."""
        import torch

        with torch.no_grad():
            cosine = float((self.vectors(places) * self._reduced[places]).sum(dim=1).mean())
        return f"cosine to the teacher {cosine:.4f} on sources that nothing is fitted to"


def _gram(mine: Any, true: Any) -> Any:
    """Return the mean squared difference of all cosines."""
    return ((mine @ mine.T - true @ true.T) ** 2).mean()


def rounded(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """Return the vectors as whole numbers from −127 to 127; of the largest, one in two thousand is clipped."""
    scale = np.percentile(np.abs(vectors).max(axis=1), 99.95) / 127
    whole: npt.NDArray[np.int8] = np.clip(np.rint(vectors / scale), -127, 127).astype(np.int8)
    return whole


def packed(vectors: npt.NDArray[np.float32], vocabulary: list[str]) -> bytes:
    """Return the file: the rounded vectors and the vocabulary, a piece a line."""
    whole = rounded(vectors)
    whole[[vocabulary.index(piece) for piece in _SILENT]] = 0
    words = np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, vectors=whole, vocabulary=words)
    return file.getvalue()


if __name__ == "__main__":
    main()
