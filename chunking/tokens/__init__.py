"""Token counts: of texts, and, exact and fast, of any run of a document's segments.

Two counters are built in: OpenAI's ``cl100k_base`` (byte-pair encoding, by tiktoken) and the word pieces of the
encoder all-MiniLM-L6-v2 (by tokenizers). Both read their data from installed packages; neither uses the network.
:class:`SpanTokens` counts the text between the places that no token can straddle once, and then returns the count of
any span with one subtraction.
"""

from chunking.tokens.cl100k import CL100K_PATTERN, Cl100k
from chunking.tokens.counters import TokenCounter, TokenLocator, well_formed
from chunking.tokens.registry import DEFAULT_TOKENIZER, add_source, get_tokenizer, tokenizer_names
from chunking.tokens.spans import SpanTokens, TextCounter, furthest_within, is_within, last_fitting
from chunking.tokens.word_pieces import WordPieces, minilm_folder

__all__ = [
    "CL100K_PATTERN", "DEFAULT_TOKENIZER", "Cl100k", "SpanTokens", "TextCounter", "TokenCounter", "TokenLocator",
    "WordPieces", "add_source", "furthest_within", "get_tokenizer", "is_within", "last_fitting", "minilm_folder",
    "tokenizer_names", "well_formed",
]  # fmt: skip
