"""Worker processes: progress, stopping, death, and what comes back."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chunking import samples, strategies
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.evaluation import SegmentationOptions, own
from chunking.evaluation.tasks import evaluate_settings
from chunking.retrieval import tasks
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.runtime.progress import Tell
from chunking.work import process
from chunking.work.backend import QuickBackend, Slow, WorkerBackend
from chunking.work.pool import WorkerPool
from chunking.work.process import WorkerProcess
from chunking.work.task import Task, run_here
from chunking.workspace import Tools, Workspace
from tests.retrieval.made import *  # noqa: F403
from tests.work import functions
