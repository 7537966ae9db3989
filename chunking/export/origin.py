"""What made the chunks, in words."""

from __future__ import annotations

from chunking.installation import versions
from chunking.strategies.base import Segmentation
from chunking.workspace import DocumentAnalysis


def facts_of(workspace: DocumentAnalysis) -> dict[str, str]:
    """Return the document, the models and the versions that results depend on, by name."""
    document, tools = workspace.document, workspace.tools
    return {
        "Document": document.name,
        "SHA-256 of its text": document.text_hash,
        "Language": document.language,
        **dict(document.load_options),
        "Encoder": workspace.encoder.name,
        "Tokenizer": tools.tokenizer,
        "Sentence splitter": workspace.sentences.splitter,
        **versions(),
    }


def origin_of(segmentation: Segmentation) -> dict[str, str]:
    """Return the document's name, the strategy, and its parameters as ``NAME=VALUE;NAME=VALUE``."""
    return {
        "source": segmentation.document.name,
        "strategy": segmentation.strategy,
        "parameters": ";".join(segmentation.params.pairs()),
    }


def setting_text(segmentation: Segmentation) -> str:
    """Return the line that :func:`chunking.strategies.parse` turns back into the setting."""
    return ":".join(filter(None, (segmentation.strategy, ";".join(segmentation.params.pairs()))))
