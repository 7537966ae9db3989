"""all-MiniLM-L6-v2 on the processor: torch, as the product runs it, beside ONNX Runtime and OpenVINO.

A runtime would be offered if it were at least 1.7 times as fast with the same cuts (F1 of 0.995 or more). The model is
exported once, with its pooling, and every runtime gets the same batches of the same tokens on the same threads, each
batch computed on one. ONNX Runtime is measured with the graph as it was exported, with its own fusions for BERT, and
with those and weights of 8 bits, as a note: they change the vectors.

Each round embeds other sentences with all of them in turn, so that all feel the same machine, and begins with another.
Reported is the median of the ratios of the rounds, torch ÷ runtime, with the lowest and the highest: of the time that
passed, and of processor time, which other work on the machine changes less. Cuts are those of ``changepoint`` on real
documents, whose vectors are rounded to float16 as in the product. The runtimes are not among the requirements: without
them the part is left out.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.structure import f1
from benchmarks.timing import table
from chunking import sentences, strategies
from chunking.embedding import get_encoder
from chunking.embedding.minilm import MiniLM
from chunking.embedding.transformer import BatchEncoder
from chunking.loading import from_text, load
from chunking.runtime.arrays import Float32, Int64
from chunking.workspace import DocumentAnalysis

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LIBRARIES = ("torch", "onnx", "onnxruntime", "openvino")
SENTENCES = 2_000
PARAGRAPHS = 60
"""Paragraphs of each source that sentences are taken from."""

THREADS = (1, 2)
ROUNDS = 8
"""Rounds, each with its share of the sentences."""

DOCUMENTS = ("pep-0572.rst", "us_constitution.txt", "seneca_on-the-shortness-of-life.xhtml")
_SEED = 3
_WARM = 40
_HEAD = (
    "",
    "sentences a second",
    "torch ÷ it",
    "a processor second",
    "torch ÷ it",
    "largest |difference|",
)

Run = Callable[[dict[str, Any]], Any]
"""Computes the vectors of a batch from its tokens."""


class RuntimeEncoder(BatchEncoder):
    """The model's tokenizer and batches, with the vectors computed by another runtime.

    Args:
        model: the loaded model, for its tokenizer.
        run: computes the vectors of a batch; several threads call it at once.
    """

    def __init__(self, model: Any, run: Run) -> None:
        super().__init__(model)
        self._run = run

    def _vectors(self, features: Any) -> Float32:
        names = ("input_ids", "attention_mask", "token_type_ids")
        found = self._run({name: features[name].numpy() for name in names if name in features})
        return np.asarray(found, dtype=np.float32)


def exported(model: Any, path: Path) -> Path:
    """Write the model with its pooling as ONNX, and return the file.

    Attention is written out step by step, so that the runtimes recognise it.
    """
    torch: Any = importlib.import_module("torch")
    model = deepcopy(model)
    model[0].auto_model.set_attn_implementation("eager")
    features = model.preprocess(["A short sentence.", "Another one, which is a little longer."])
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in features]
    modules: Any = importlib.import_module("torch.nn")

    def forward(_: Any, *given: Any) -> Any:
        vectors = model(dict(zip(names, given, strict=True)))["sentence_embedding"]
        return torch.nn.functional.normalize(vectors, dim=1)

    whole = type("Whole", (modules.Module,), {"forward": forward})().eval()
    whole.model = model
    axes = {name: {0: "texts", 1: "tokens"} for name in names}
    torch.onnx.export(
        whole,
        tuple(features[name] for name in names),
        str(path),
        input_names=names,
        output_names=["vectors"],
        dynamic_axes={**axes, "vectors": {0: "texts"}},
        opset_version=17,
        dynamo=False,
    )
    return path


def fused(path: Path) -> Path:
    """Write the graph with ONNX Runtime's own fusions for BERT, and return the file."""
    optimizer: Any = importlib.import_module("onnxruntime.transformers.optimizer")
    found = optimizer.optimize_model(str(path), model_type="bert", num_heads=12, hidden_size=MiniLM.dimension)
    print("Fusions:", {name: count for name, count in found.get_fused_operator_statistics().items() if count})
    target = path.with_name("fused.onnx")
    found.save_model_to_file(str(target))
    return target


def quantised(path: Path) -> Path:
    """Write the graph with weights of 8 bits, and return the file."""
    quantization: Any = importlib.import_module("onnxruntime.quantization")
    target = path.with_name("int8.onnx")
    unknown: Any = importlib.import_module("onnx").TensorProto.FLOAT
    quantization.quantize_dynamic(
        str(path),
        str(target),
        weight_type=quantization.QuantType.QInt8,
        extra_options={"DefaultTensorType": unknown},
    )
    return target


def onnx_runtime(path: Path) -> Run:
    """Return a session of ONNX Runtime, which computes each batch on the thread that calls."""
    onnxruntime: Any = importlib.import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    wanted = {each.name for each in session.get_inputs()}
    return lambda given: session.run(None, {name: value for name, value in given.items() if name in wanted})[0]


def openvino(path: Path, threads: int) -> Run:
    """Return a model of OpenVINO in float32, with a stream for each thread."""
    runtime: Any = importlib.import_module("openvino")
    settings = {
        "INFERENCE_PRECISION_HINT": "f32",
        "NUM_STREAMS": str(threads),
        "INFERENCE_NUM_THREADS": str(threads),
    }
    compiled = runtime.Core().compile_model(str(path), "CPU", settings)
    wanted = {name for each in compiled.inputs for name in each.names}

    def run(given: dict[str, Any]) -> Any:
        request = compiled.create_infer_request()
        return request.infer({name: value for name, value in given.items() if name in wanted})[0].copy()

    return run


def encoders(folder: Path, threads: int) -> dict[str, BatchEncoder]:
    """Return what is measured, torch first, by its name."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(threads)
    model = _model()
    plain, bert = folder / "plain.onnx", folder / "fused.onnx"
    runs = {
        "ONNX Runtime": onnx_runtime(plain),
        "ONNX Runtime, fused": onnx_runtime(bert),
        "OpenVINO": openvino(plain, threads),
        "ONNX Runtime, int8": onnx_runtime(folder / "int8.onnx"),
    }
    return {"torch": BatchEncoder(model), **{name: RuntimeEncoder(model, run) for name, run in runs.items()}}


def _model() -> Any:
    return _minilm()._encoder.model


def _minilm() -> MiniLM:
    encoder = get_encoder(MiniLM.name)
    assert isinstance(encoder, MiniLM)
    return encoder


def _lengths(texts: Sequence[str]) -> Int64:
    return np.minimum(_minilm().token_counts(texts), MiniLM.max_tokens)


def texts(folder: Path) -> list[str]:
    """Return distinct sentences of all sources."""
    random = np.random.default_rng(_SEED)
    found: dict[str, None] = {}
    for path in sorted((folder / "text").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            paragraphs = [json.loads(line)["text"] for line in file]
        some = random.choice(len(paragraphs), min(PARAGRAPHS, len(paragraphs)), replace=False)
        document = from_text("\n\n".join(paragraphs[place] for place in some.tolist()), path.name, "text", "en")
        found |= dict.fromkeys(sentences.split(document, "rules").texts)
    return [list(found)[place] for place in random.choice(len(found), min(SENTENCES, len(found)), replace=False)]


def speed(known: Mapping[str, BatchEncoder], given: Sequence[str]) -> list[list[str]]:
    """Return a row for each encoder."""
    for encoder in known.values():
        encoder.encode(given[:_WARM], _lengths(given[:_WARM]))
    names = list(known)
    orders = [names[place % len(names) :] + names[: place % len(names)] for place in range(ROUNDS)]
    rounds = [_round({name: known[name] for name in order}, given[place::ROUNDS]) for place, order in enumerate(orders)]
    rows = []
    for name in known:
        spent = sum(each[name].seconds for each in rounds)
        rows.append(
            [
                name,
                f"{len(given) / spent:,.0f}",
                _ratios([each["torch"].seconds / each[name].seconds for each in rounds]),
                f"{len(given) / sum(each[name].processor for each in rounds):,.0f}",
                _ratios([each["torch"].processor / each[name].processor for each in rounds]),
                f"{max(float(np.abs(each[name].vectors - each['torch'].vectors).max()) for each in rounds):.1e}",
            ]
        )
    return rows


class Timed(NamedTuple):
    """The vectors of some sentences, and the seconds that they took: on the clock, and of the processor."""

    vectors: Float32
    seconds: float
    processor: float


def _round(known: Mapping[str, BatchEncoder], given: Sequence[str]) -> dict[str, Timed]:
    lengths = _lengths(given)
    found = {}
    for name, encoder in known.items():
        clock, processor = time.perf_counter(), time.process_time()
        vectors = encoder.encode(given, lengths)
        found[name] = Timed(vectors, time.perf_counter() - clock, time.process_time() - processor)
    return found


def _ratios(values: Sequence[float]) -> str:
    return f"{median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"


def cuts(encoder: BatchEncoder, path: Path) -> Int64:
    """Return where the chunks of ``changepoint`` begin in a document, with the vectors of an encoder."""
    workspace = DocumentAnalysis(load(path.read_bytes(), path.name))
    given = workspace.sentences.texts
    vectors = encoder.encode(given, _lengths(given))
    workspace.add_vectors(0, vectors.astype(np.float16).astype(np.float32))
    found = strategies.parse("changepoint").run(workspace)
    return np.array([chunk.start for chunk in found.chunks[1:]], dtype=np.int64)


def main(folder: Path = DATA) -> None:
    """Print the tables."""
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing or not (folder / "text").is_dir():
        why = f"{', '.join(missing)} not installed" if missing else "the data is not beside the repository"
        print(f"\nRuntimes for all-MiniLM-L6-v2: {why}, so this part is left out.")
        return
    given = texts(folder)
    with tempfile.TemporaryDirectory() as place:
        files = Path(place)
        plain = exported(_model(), files / "plain.onnx")
        quantised(fused(plain))
        versions = ", ".join(f"{name} {importlib.import_module(name).__version__}" for name in LIBRARIES)
        print(f"{versions}; {len(given):,} sentences, {_lengths(given).mean():.1f} tokens on average")
        for threads in THREADS:
            known = encoders(files, threads)
            before = os.getloadavg()[0]
            rows = speed(known, given)
            load = f"load of the machine {before:.1f} to {os.getloadavg()[0]:.1f}"
            table(f"Threads: {threads}; {load}", _HEAD, rows)
        _compare(known, [folder / "documents" / name for name in DOCUMENTS])


def _compare(known: Mapping[str, BatchEncoder], paths: Sequence[Path]) -> None:
    rows = []
    for path in paths:
        found = {name: cuts(encoder, path) for name, encoder in known.items()}
        scores = (f"{f1(found['torch'], each):.4f}" for name, each in found.items() if name != "torch")
        rows.append([path.name, len(found["torch"]), *scores])
    table("F1 of the cuts of changepoint with those of torch", ["", "cuts", *list(known)[1:]], rows)


run = main

if __name__ == "__main__":
    main()
