"""Running models on onnxruntime, on the CPU; what each node was given there, too.

It runs in a process of its own, since some models of the peers make it crash.
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from tests.corpus.signals import Array
from tests.corpus.work import Execution

Feed = Mapping[str, Array]

_workers: list[ProcessPoolExecutor] = []  # one, from the first call on


class RunError(Exception):
    """onnxruntime cannot load or run a model; its text is onnxruntime's."""


def run_model(model: bytes, feed: Feed) -> dict[str, Array]:
    """Return the outputs of a model by name, without optimisations.

    Raises: RunError.
    """
    return run_feeds(model, [feed], optimised=False)[0]


def run_feeds(model: bytes, feeds: Sequence[Feed], optimised: bool) -> list[dict[str, Array]]:
    """Return the outputs for each set of inputs, with the optimisations of a user who sets none, or without any.

    Raises: RunError.
    """
    worker = _worker()
    try:
        found = worker.submit(_run_feeds, model, feeds, optimised).result()
    except BrokenProcessPool:
        _workers.clear()
        raise RunError("onnxruntime crashed") from None
    if isinstance(found, str):
        raise RunError(found)
    return found


def trace(model: bytes, feeds: Sequence[Feed]) -> dict[str, list[Execution]]:
    """Return, for each name of a node, the shapes at each of its executions, in sub-graphs too."""
    return _worker().submit(_trace, model, feeds).result()


def _worker() -> ProcessPoolExecutor:
    if not _workers:
        # Not forked: a process that runs threads of onnxruntime or numpy cannot be.
        _workers.append(ProcessPoolExecutor(1, multiprocessing.get_context("spawn")))
        atexit.register(_workers[0].shutdown)
    return _workers[0]


def _open(model: bytes, optimised: bool, profile: Path | None = None) -> Any:
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # other workers need the processors
    if not optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if profile is not None:
        options.enable_profiling = True
        options.profile_file_prefix = str(profile)
        options.add_session_config_entry("session.disable_prepacking", "1")  # packed weights have no shape any more
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _run_feeds(model: bytes, feeds: Sequence[Feed], optimised: bool) -> list[dict[str, Array]] | str:
    try:
        session = _open(model, optimised)
        names = [output.name for output in session.get_outputs()]
        return [dict(zip(names, session.run(names, dict(feed)), strict=True)) for feed in feeds]
    except Exception as error:  # onnxruntime's own classes; their text is what counts
        return f"{type(error).__name__}: {error}"


def _trace(model: bytes, feeds: Sequence[Feed]) -> dict[str, list[Execution]]:
    with tempfile.TemporaryDirectory() as folder:
        session = _open(model, optimised=False, profile=Path(folder) / "profile")
        for feed in feeds:
            session.run(None, dict(feed))
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    executions: dict[str, list[Execution]] = {}
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            shapes = (event["args"][key] for key in ("input_type_shape", "output_type_shape"))
            # Each entry is {"float": [2, 3]}, a type with its shape.
            operands, results = (tuple(tuple(*entry.values()) for entry in entries) for entries in shapes)
            executions.setdefault(event["name"].removesuffix("_kernel_time"), []).append(Execution(operands, results))
    return executions
