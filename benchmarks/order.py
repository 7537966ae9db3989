"""What a small network that sees the order of the gaps would add to the learned sum.

It is the bound that :mod:`chunking.signals.boundary_model` is compared with. Each network has at most 100,000
parameters and reads the measurements of all gaps of a document in their order: the deviations that the sum weighs,
scaled by the same table. One is recurrent (a bidirectional GRU), one convolutional (dilated, residual). Alone, a
network replaces the sum; added to it, it learns a correction that is 0 at first. The last one also reads the first
numbers of the vectors of both sentences of each gap, less the document's mean, and how far they differ; the encoder
``static`` has its numbers in the order of what they explain.

The networks are trained as the sum is fitted (:mod:`tools.boundaries`): without the kind of text that is measured,
given the share of boundaries of each document, each kind weighted alike and all mosaics of one kind a quarter. So that
the part takes minutes, an epoch draws documents of each kind at random (:data:`EPOCH`), long ones a window at a time
(:data:`WINDOW`). After each epoch the same loss is computed on documents of the kinds learned from that are held back
(:data:`BACK`), and the network with the lowest is kept. The sum itself is fitted on all of them.

Reported is boundary F1 at the true number of boundaries: of the gaps of the highest log-odds (as `structural`), and of
the division (as `changepoint`), in which the log-odds of the network replace the sum. In brackets is the 95 % bootstrap
interval over documents; differences to the sum are paired. A score is the mean over :data:`SEEDS`, and not that of
several networks together. The mean difference weighs every set alike.

The same is reported with no kind left out, on documents that no network has seen: whether a network learns its kinds
better than the sum does, whatever becomes of that elsewhere.

Tried before these were chosen, on the same sets, which favours the networks: without the sum, a network of 64 units
and weaker regularisation loses 4.2 points and 2.3 in the division; a convolutional one, 2.4 and 1.5 on technical texts,
dialogues and textbooks.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks import boundaries
from benchmarks.boundaries import DATA, SETS, Known
from benchmarks.structure import RESAMPLES, f1, percent
from benchmarks.timing import table
from chunking.embedding import get_encoder
from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.signals import wording
from chunking.signals.boundary_model import deviations
from chunking.strategies.changepoint import SCATTER_PER_LOG_ODDS
from tools.boundaries import ENCODER, HABITS, Labelled, Table, evidence

SEEDS = (0, 1)
MAX_PARAMETERS = 100_000
REQUIRED = 2.0
"""Points of F1, as the mean over the sets, from which a network would be worth its price."""

EPOCH = 8_000
"""Gaps of each kind that an epoch draws, of mosaics a quarter of that; a kind with fewer is taken whole."""

EPOCHS = 10
PATIENCE = 3
"""Epochs without a lower loss on the documents held back, after which training ends."""

BACK = 10
"""One document in so many, of each kind learned from, is held back to choose the epoch."""

WINDOW = 64
"""Gaps of a document that one step of training reads, at most."""

BATCH = 2_048
"""Gaps of one step of training."""

RATE = 2e-3
DECAY = 0.1
DROPOUT = 0.5
CLIP = 10.0
"""Largest norm of a gradient."""

VECTOR = 16
"""Numbers of a sentence's vector that a network reads."""

UNITS = {"recurrent": 48, "convolutional": 48}
"""Width of the layers; both directions of the recurrent one have so many."""

DILATIONS = (1, 2, 4, 8)
KERNEL = 5
"""With these dilations, a gap sees 30 gaps on either side."""


@dataclass(frozen=True)
class Variant:
    """A network to train.

    Attributes:
        cell: what carries information from gap to gap.
        added: the network corrects the sum instead of replacing it.
        vectors: it reads vectors of the sentences.
    """

    cell: Literal["recurrent", "convolutional"]
    added: bool = False
    vectors: bool = False

    @property
    def title(self) -> str:
        """Its name in the tables."""
        return f"{self.cell}{', with vectors' * self.vectors}{', added to the sum' * self.added}"


VARIANTS = (
    Variant("recurrent", added=True),
    Variant("convolutional", added=True),
    Variant("recurrent", added=True, vectors=True),
)


@dataclass(frozen=True, eq=False)
class Example:
    """A document as a network reads it.

    Attributes:
        kind: kind of text.
        inputs: ``(n_gaps, n_inputs)`` float32.
        given: ``(n_gaps,)`` float32 log-odds that the network adds to.
        gold: ``(n_gaps,)`` float32.
        offset: log-odds of the document's share of boundaries, known in training.
    """

    kind: str
    inputs: Float32
    given: Float32
    gold: Float32
    offset: float

    def window(self, random: np.random.Generator) -> Example:
        """Return at most :data:`WINDOW` of its gaps, in order."""
        first = int(random.integers(max(len(self.gold) - WINDOW, 0) + 1))
        some = slice(first, first + WINDOW)
        return replace(self, inputs=self.inputs[some], given=self.given[some], gold=self.gold[some])


def example(document: Labelled, known: Table, variant: Variant) -> Example:
    """Return a document as a network reads it."""
    general = [place for place, measurement in enumerate(wording.MEASURES) if measurement not in HABITS]
    columns = [deviations(document.wording, known.wording)[:, general], deviations(document.scales, known.scales)]
    if variant.vectors:
        columns.append(_vectors(document))
    given = evidence(document, known) if variant.added else np.zeros(len(document.gold))
    cuts = document.gold.sum()
    return Example(
        document.kind,
        np.hstack(columns).astype(np.float32),
        given.astype(np.float32),
        document.gold.astype(np.float32),
        float(np.log((cuts + 0.5) / (len(document.gold) - cuts + 0.5))),
    )


def _vectors(document: Labelled) -> Float64:
    """Return the first numbers of the vectors of both sentences of each gap, and how far they differ."""
    numbers = get_encoder(ENCODER).encode(document.units)[:, :VECTOR].astype(np.float64)
    numbers = (numbers - numbers.mean(axis=0)) * np.sqrt(VECTOR)
    return np.hstack((numbers[:-1], numbers[1:], np.abs(np.diff(numbers, axis=0))))


# The networks ------------------------------------------------------------------------------------------------------


def _torch() -> Any:
    """Return torch, untyped: its types would make mypy read all of it."""
    return importlib.import_module("torch")


class Network:
    """A small network over the gaps of documents.

    Args:
        variant: the kind of network.
        inputs: numbers that it reads of each gap.
        seed: of its first weights.
    """

    def __init__(self, variant: Variant, inputs: int, seed: int) -> None:
        self._torch = _torch()
        self._torch.manual_seed(seed)
        self.variant = variant
        nn, units = self._torch.nn, UNITS[variant.cell]
        if variant.cell == "recurrent":
            layers = {"cell": nn.GRU(inputs, units, batch_first=True, bidirectional=True)}
        else:
            layers = {"first": nn.Linear(inputs, units)}
            for dilation in DILATIONS:
                layers[f"norm_{dilation}"] = nn.LayerNorm(units)
                layers[f"cell_{dilation}"] = nn.Conv1d(
                    units, units, KERNEL, dilation=dilation, padding=dilation * (KERNEL // 2)
                )
        head = nn.Linear(2 * units if variant.cell == "recurrent" else units, 1)
        if variant.added:
            nn.init.zeros_(head.weight), nn.init.zeros_(head.bias)
        else:
            layers["direct"] = nn.Linear(inputs, 1)
        self.layers = nn.ModuleDict({**layers, "dropout": nn.Dropout(DROPOUT), "head": head})

    @property
    def parameters(self) -> int:
        """The number of its parameters."""
        return sum(each.numel() for each in self.layers.parameters())

    def log_odds(self, document: Example) -> Float64:
        """Return the log-odds of each gap of a document, ``(n_gaps,)``, without the document's share."""
        self.layers.eval()
        with self._torch.inference_mode():
            found = self._forward([document])[0].numpy().astype(np.float64)
        return np.asarray(found + document.given)

    def loss(self, documents: Sequence[Example], weights: Mapping[str, float]) -> Any:
        """Return the weighted cross-entropy of all gaps, summed.

        Args:
            documents: at least one.
            weights: weight of a gap, by the kind of its document.
        """
        gold = self._padded([one.gold for one in documents])
        known = self._padded([one.given + np.float32(one.offset) for one in documents])
        weight = self._padded([np.full(len(one.gold), weights[one.kind], dtype=np.float32) for one in documents])
        found = self._forward(documents) + known
        return self._torch.nn.functional.binary_cross_entropy_with_logits(found, gold, weight, reduction="sum")

    def _padded(self, rows: Sequence[Float32]) -> Any:
        return self._torch.nn.utils.rnn.pad_sequence([self._torch.from_numpy(row) for row in rows], batch_first=True)

    def _forward(self, documents: Sequence[Example]) -> Any:
        """Return what the network says of each gap, ``(n_documents, n_gaps)``; anything after a document's last."""
        inputs = self._padded([one.inputs for one in documents])
        lengths = self._torch.tensor([len(one.gold) for one in documents])
        read = self._recurrent if self.variant.cell == "recurrent" else self._convolutional
        found = self.layers["head"](self.layers["dropout"](read(inputs, lengths)))
        return (found if self.variant.added else found + self.layers["direct"](inputs)).squeeze(-1)

    def _recurrent(self, inputs: Any, lengths: Any) -> Any:
        rnn = self._torch.nn.utils.rnn
        packed = rnn.pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        return rnn.pad_packed_sequence(self.layers["cell"](packed)[0], batch_first=True)[0]

    def _convolutional(self, inputs: Any, lengths: Any) -> Any:
        inside = (self._torch.arange(inputs.shape[1]) < lengths[:, None]).unsqueeze(-1)
        found = self.layers["first"](inputs)
        for dilation in DILATIONS:
            # What lies beyond the ends is 0 to every layer, whatever a document is padded with.
            steps = (self.layers[f"norm_{dilation}"](found) * inside).transpose(1, 2)
            found = found + self.layers["dropout"](self.layers[f"cell_{dilation}"](steps).relu().transpose(1, 2))
        return found


# Training ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Trained:
    """A network that was trained.

    Attributes:
        network: the network of the best epoch.
        epoch: that epoch, from 1.
        seconds: time of the processor that training took.
    """

    network: Network
    epoch: int
    seconds: float


def trained(documents: Sequence[Example], variant: Variant, seed: int) -> Trained:
    """Return a network that was trained on documents, of as many kinds as there are."""
    start = time.process_time()
    random = np.random.default_rng(seed)
    held = [one.window(random) for one in documents[::BACK]]
    kinds: dict[str, list[Example]] = {}
    for place, one in enumerate(documents):
        if place % BACK:
            kinds.setdefault(one.kind, []).append(one)
    network = Network(variant, documents[0].inputs.shape[1], seed)
    optimizer = _torch().optim.AdamW(network.layers.parameters(), lr=RATE, weight_decay=DECAY)
    lowest, best, kept = _held_loss(network, held), 0, deepcopy(network.layers.state_dict())
    for epoch in range(1, EPOCHS + 1):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 + np.cos(np.pi * (epoch - 1) / EPOCHS)) / 2
        _train_epoch(network, optimizer, _drawn(kinds, random))
        if (loss := _held_loss(network, held)) < lowest:
            lowest, best, kept = loss, epoch, deepcopy(network.layers.state_dict())
        elif epoch - best >= PATIENCE:
            break
    network.layers.load_state_dict(kept)
    return Trained(network, best, time.process_time() - start)


def _train_epoch(network: Network, optimizer: Any, documents: Sequence[Example]) -> None:
    network.layers.train()
    weights = _weights(documents)
    groups = list(_batches(documents))
    for group in groups:
        optimizer.zero_grad()
        (len(groups) * network.loss(group, weights)).backward()
        _torch().nn.utils.clip_grad_norm_(network.layers.parameters(), CLIP)
        optimizer.step()


def _held_loss(network: Network, held: Sequence[Example]) -> float:
    network.layers.eval()
    weights = _weights(held)
    with _torch().inference_mode():
        return sum(float(network.loss(group, weights)) for group in _batches(held))


def _drawn(kinds: Mapping[str, Sequence[Example]], random: np.random.Generator) -> list[Example]:
    """Return the documents of an epoch in random order."""
    found: list[Example] = []
    for kind, documents in kinds.items():
        room = EPOCH // 4 if kind.startswith("mosaic") else EPOCH
        for place in random.permutation(len(documents)).tolist():
            if room <= 0:
                break
            found.append(documents[place].window(random))
            room -= len(found[-1].gold)
    return [found[place] for place in random.permutation(len(found)).tolist()]


def _batches(documents: Sequence[Example]) -> Iterator[list[Example]]:
    """Yield groups of documents in order, of :data:`BATCH` gaps or a few more."""
    group: list[Example] = []
    for one in documents:
        group.append(one)
        if sum(len(each.gold) for each in group) >= BATCH:
            yield group
            group = []
    if group:
        yield group


def _weights(documents: Sequence[Example]) -> dict[str, float]:
    """Return the weight of a gap by kind: the boundaries of each kind weigh the same, those of mosaics a quarter."""
    totals: dict[str, float] = {}
    for one in documents:
        totals[one.kind] = totals.get(one.kind, 0.0) + float(one.gold.sum())
    return {kind: (0.25 if kind.startswith("mosaic") else 1.0) / max(total, 1.0) for kind, total in totals.items()}


# The measurement ---------------------------------------------------------------------------------------------------

Scores = dict[str, Float64]
"""``(n_networks, n_documents)`` F1 of each set."""

NOTHING = "lecture"
"""The kind of text of which there is nothing to learn from: leaving it out leaves all others."""

LogOdds = Callable[[str, Known], list[Float64]]
"""Returns the log-odds of each gap of a document of a set, of one network or several."""


def main(folder: Path = DATA) -> None:
    """Print the tables."""
    for missing in _missing(folder):
        print(f"\nNetworks that see order: {missing}, so this part is left out.")
        return
    _torch().set_num_threads(1)
    documents, sets = boundaries.read(folder)
    tables = {kind: boundaries.fitted(documents, kind) for kind in dict.fromkeys(SETS.values())}
    networks = {variant: _networks(documents, tables, variant) for variant in VARIANTS}
    _describe(networks)
    for title, kinds in (("the kind left out", SETS), ("no kind left out", dict.fromkeys(SETS, NOTHING))):
        sums = _scores(sets, _sum(tables, kinds))
        found = {variant.title: _scores(sets, _read_by(known, tables, kinds)) for variant, known in networks.items()}
        for way in WAYS:
            _compare(f"{title}: {way}", sums[way], {name: scores[way] for name, scores in found.items()})


def _missing(folder: Path) -> Iterator[str]:
    if not (folder / "boundaries").is_dir():
        yield "the data is not beside the repository"
    if importlib.util.find_spec("torch") is None:
        yield "torch is not installed"


def _networks(documents: Sequence[Labelled], tables: Mapping[str, Table], variant: Variant) -> dict[str, list[Trained]]:
    """Return the networks that were trained without a kind of text, one for each seed, by that kind."""
    found = {}
    for kind, known in tables.items():
        examples = [example(one, known, variant) for one in boundaries.without(documents, kind)]
        found[kind] = [trained(examples, variant, seed) for seed in SEEDS]
    return found


def _sum(tables: Mapping[str, Table], kinds: Mapping[str, str]) -> LogOdds:
    return lambda name, one: [boundaries.evidence(tables[kinds[name]], one)]


def _read_by(
    networks: Mapping[str, Sequence[Trained]], tables: Mapping[str, Table], kinds: Mapping[str, str]
) -> LogOdds:
    def log_odds(name: str, one: Known) -> list[Float64]:
        kind = kinds[name]
        return [
            each.network.log_odds(example(one.labelled, tables[kind], each.network.variant)) for each in networks[kind]
        ]

    return log_odds


def _highest(one: Known, log_odds: Float64) -> Int64:
    found: Int64 = np.sort(np.argsort(-log_odds, kind="stable")[: len(one.gold)])
    return found


def _divided(one: Known, log_odds: Float64) -> Int64:
    return boundaries.at_number(one, SCATTER_PER_LOG_ODDS * log_odds, len(one.gold))


WAYS: dict[str, Callable[[Known, Float64], Int64]] = {
    "structural (the highest log-odds)": _highest,
    "changepoint (scatter and log-odds)": _divided,
}


def _scores(sets: Mapping[str, Sequence[Known]], log_odds: LogOdds) -> dict[str, Scores]:
    """Return the scores of each of :data:`WAYS`."""
    found: dict[str, Scores] = {way: {} for way in WAYS}
    for name, known in sets.items():
        curves = [log_odds(name, one) for one in known]
        for way, cut in WAYS.items():
            rows = [[f1(one.gold, cut(one, each)) for each in some] for one, some in zip(known, curves, strict=True)]
            found[way][name] = np.array(rows).T
    return found


def _describe(networks: Mapping[Variant, Mapping[str, Sequence[Trained]]]) -> None:
    rows = []
    for variant, by_kind in networks.items():
        every = [each for some in by_kind.values() for each in some]
        if max(each.network.parameters for each in every) > MAX_PARAMETERS:
            raise ValueError(f"the network {variant.title!r} has more than {MAX_PARAMETERS:,} parameters")
        epochs = " ".join(f"{kind} {'/'.join(str(each.epoch) for each in some)}" for kind, some in by_kind.items())
        rows.append(
            [variant.title, f"{every[0].network.parameters:,}", f"{sum(each.seconds for each in every):.0f}", epochs]
        )
    table(
        f"Networks: {len(SEEDS)} seeds for each kind left out, and the epoch kept for each (0: before training)",
        ["", "parameters", "processor seconds", f"epoch of {EPOCHS}"],
        rows,
    )


def _compare(way: str, sums: Scores, found: Mapping[str, Scores]) -> None:
    rows = [["learned sum", *(percent(sums[name].mean(axis=0)) for name in sums), _over_sets(sums)]]
    for title, scores in found.items():
        gains = {name: scores[name] - sums[name] for name in sums}
        rows.append([title, *(percent(scores[name].mean(axis=0)) for name in sums), _over_sets(scores)])
        rows.append(["– gain", *(percent(gains[name].mean(axis=0), "+") for name in sums), _over_sets(gains, "+")])
    table(f"F1 in % at the true number of boundaries, {way}", ["", *sums, "mean"], rows)
    for title, scores in found.items():
        seeds = np.mean([100 * (scores[name] - sums[name]).mean(axis=1) for name in sums], axis=0)
        gain = float(seeds.mean())
        verdict = "reached" if gain >= REQUIRED else "not reached"
        print(f"{title}: {gain:+.2f} points on average ({_each(seeds)} by seed); {REQUIRED:g} points {verdict}.")


def _each(values: Float64) -> str:
    return ", ".join(f"{value:+.2f}" for value in values.tolist())


def _over_sets(scores: Scores, sign: str = "") -> str:
    """Return the mean over the sets in %, with the interval over the documents of each."""
    drawn, random = np.zeros(RESAMPLES), np.random.default_rng(0)
    for values in scores.values():
        one = values.mean(axis=0)
        drawn += one[random.integers(0, len(one), (RESAMPLES, len(one)))].mean(axis=1)
    low, high = (100 * np.quantile(drawn / len(scores), (0.025, 0.975))).tolist()
    mean = 100 * np.mean([values.mean() for values in scores.values()])
    return f"{mean:{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"


run = main

if __name__ == "__main__":
    main()
