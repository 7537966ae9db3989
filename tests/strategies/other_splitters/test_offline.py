"""No peer reaches for the network, and none writes outside the temporary folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.strategies.other_splitters import PEERS, installed

SCRIPT = """
import json, os, sys

seen = {"network": [], "written": []}
NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"}
HOME = os.environ["HOME"]

def watch(event, arguments):
    if event in NETWORK:
        seen["network"].append([event, repr(arguments[1:] if event.startswith("socket.s") else arguments)])
    elif event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen["written"].append(str(arguments[0]))
    elif event == "os.mkdir":
        seen["written"].append(str(arguments[0]))

sys.addaudithook(watch)

from chunking import loading, samples
from chunking.strategies import other_splitters
from chunking.errors import ChunkscopeError
from chunking.embedding.vector_cache import default_cache
from chunking.workspace import Models, DocumentAnalysis

text = samples.load("on-walking-to-work").document.text[:2500]
workspace = DocumentAnalysis(loading.from_text(text), Models("static"), cache=default_cache())
pieces = {}
for peer in other_splitters.PEERS:
    settings = {"language": "python"} if peer.name == "llamaindex_code" else {}
    try:
        pieces[peer.name] = len(peer.split(workspace, peer.params(**settings)))
    except ChunkscopeError as error:
        pieces[peer.name] = str(error)
print(json.dumps({"seen": seen, "pieces": pieces, "environment": dict(os.environ)}))
"""


@pytest.mark.skipif(not all(map(installed, PEERS)), reason="a peer is missing: pip install -r requirements-peers.txt")
def test_no_peer_opens_a_connection_or_writes_outside_the_temporary_folder(root: Path, tmp_path: Path) -> None:
    switches = ("HF_", "LANG", "DO_NOT_TRACK", "ANONYMIZED", "TRANSFORMERS_", "CHONKIE_", "NLTK_", "TIKTOKEN_", "TORCH")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(switches)}
    environment |= {
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "CHUNKSCOPE_CACHE": str(tmp_path / "vectors"),
        "TMPDIR": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(root),
        "NLTK_DATA": str(tmp_path / "no-data"),  # a user's folder in which LlamaIndex would not find its data
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)  # so nothing else was printed either
    assert found["seen"]["network"] == []
    outside = [path for path in found["seen"]["written"] if not path.startswith((str(tmp_path), "/dev/null"))]
    assert outside == []
    assert set(found["pieces"]) == {peer.name for peer in PEERS}
    for name, count in found["pieces"].items():
        made_for_else = name in ("llamaindex_html", "llamaindex_json", "llamaindex_code")
        assert made_for_else or (isinstance(count, int) and count > 0), (name, count)
    for switch, value in {"LANGSMITH_TRACING": "false", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}.items():
        assert found["environment"][switch] == value


def test_no_library_is_imported_before_a_peer_runs(root: Path) -> None:
    libraries = ["langchain_core", "llama_index.core", "chonkie", "semchunk", "semantic_text_splitter", "bs4", "nltk"]
    libraries += ["langchain_text_splitters", "tree_sitter", "torch"]
    code = (
        "import sys\nfrom chunking.strategies.other_splitters import PEERS, installed\n"
        "for peer in PEERS: installed(peer), peer.origin\n"
        f"print([name for name in {libraries} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
