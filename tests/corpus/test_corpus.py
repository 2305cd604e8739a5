"""The corpus, converted: real models must come out valid, low where it counts, and as accurate as f16 or bf16 allow.

`limits.py` has what is asked, and for which models less; `python -m tests.corpus` prints all figures.
"""

import json
from typing import Any

import pytest

import passes
from frontends.onnx import load, to_proto
from runtime.dtypes import bf16
from tests.corpus.accuracy import errors
from tests.corpus.converters import BF16, F16, Converter
from tests.corpus.examine import OPTIMISED, PLAIN, ROUNDED, Subject, examine, interpret
from tests.corpus.limits import NOT_YET, NOT_YET_BF16, Limits, complaints, limits_for
from tests.corpus.measure import measure
from tests.corpus.models import MODELS, Model, model_named
from tests.corpus.ort import run_feeds, run_model
from tests.corpus.signals import Array

NEWEST = 22
"""The first version of the operator set in which every operator of the corpus may be bf16."""

QUICK = (
    *("opennsfw", "nudenet", "plcmos", "aecmos-plain", "nsnet2", "silero-v5", "silero-v6"),
    *("jarvis", "timer", "nakdimon", "tashkeel", "slovorez"),
)
"""Models that the interpreter runs in seconds."""


@pytest.mark.corpus
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_f16(model: Model) -> None:
    ways = (PLAIN, OPTIMISED) if model.wheel is not None else (OPTIMISED,)
    assert complaints(examine(Subject(model), F16, ways), limits_for(model)) == []


@pytest.mark.corpus
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_bf16_is_valid_at_the_operator_set_of_the_model(model: Model) -> None:
    """Most operators are not bf16 there, so nothing is asked about shares; there is no runtime for what is."""
    limits = limits_for(model, bf16)
    found = examine(Subject(model), BF16, ways=())
    assert complaints(found, Limits(limits.why, low_nodes=0, low_work=0, joins=limits.joins)) == []


@pytest.mark.corpus
@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("converter", [F16, BF16], ids=str)
def test_one_rounding_a_node_at_a_new_operator_set(name: str, converter: Converter) -> None:
    """The interpreter hides no overflow: onnxruntime computes much of f16 in f32, and has no bf16."""
    model = model_named(name)
    found = examine(Subject(model, NEWEST), converter, (ROUNDED,))
    assert complaints(found, limits_for(model, converter.low)) == []


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "policy", "tolerance", "plain", "low_work"),
    [("silero-v6", "autocast-bf16", 0.02, 0.19, 0.55), ("nudenet", "autocast-f16", 0.001, 0.0012, 0.95)],
)
def test_little_is_kept_for_a_tolerance(
    name: str, policy: str, tolerance: float, plain: float, low_work: float
) -> None:
    subject = Subject(model_named(name))
    expected = interpret(subject.proto, subject.feeds)
    found = []
    within: dict[str, Any] = {"calibrate": subject.feeds, "tolerance": tolerance}
    for options in ({}, within):
        converted = to_proto(passes.convert(load(subject.copy()), policy, **options)[0])
        errors_of = errors(expected, interpret(converted, subject.feeds))
        found.append(max(min(one.relative, 10 * one.absolute) for one in errors_of))
    assert found[0] > plain and found[1] <= tolerance
    figures = measure(subject.proto, converted, subject.executions)
    assert figures.low_work >= low_work * figures.heavy_work


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["light-inception-v1", "light-squeezenet"])
def test_what_leaves_the_range_does_not_where_it_was_measured(name: str) -> None:
    subject = Subject(model_named(name))
    converted = to_proto(passes.convert(load(subject.copy()), calibrate=subject.feeds)[0])
    found = errors(subject.expected, run_feeds(converted.SerializeToString(), subject.feeds, optimised=False))
    assert all(one.relative <= 0.01 for one in found)
    figures = measure(subject.proto, converted, subject.executions)
    assert figures.low_nodes > 0.1 * figures.heavy_nodes


@pytest.mark.corpus
def test_inputs_are_like_real_ones() -> None:
    """What the models themselves say about what they are given."""
    assert _read_text() == "BREWER"
    labels = json.loads(model_named("magika").read("magika/models/standard_v3_3/config.min.json"))[
        "target_labels_space"
    ]
    assert [labels[scores["target_label"].argmax()] for scores in _results("magika")] == ["python", "randombytes"]
    assert [scores.popitem()[1].argmax() for scores in _results("ocr-direction")] == [0, 1]  # upright, upside down
    (windows,) = (result["speech_probs"] for result in _results("silero-v6"))
    assert windows.max() > 0.8 > 0.1 > windows.min()  # a syllable, a pause
    assert all(result["outputs"].argmax() == 0 for result in _results("opennsfw"))


def test_every_exception_is_about_a_model_and_has_a_reason() -> None:
    names = {model.name for model in MODELS}
    for table in (NOT_YET, NOT_YET_BF16):
        assert set(table) <= names
        assert all(limits.why and limits != Limits(limits.why) for limits in table.values())


def _results(name: str) -> list[dict[str, Array]]:
    model = model_named(name)
    return [run_model(model.read(model.member), feed) for feed in model.make_feeds()]


def _read_text() -> str:
    """Return the text that the recogniser sees: at each step a character or none, repeated ones are one."""
    model = model_named("ocr-recognition")
    (letters,) = (entry.value.split("\n") for entry in model.load().metadata_props if entry.key == "character")
    steps = _results(model.name)[0].popitem()[1][0].argmax(axis=-1)
    return "".join(letters[now - 1] for before, now in zip([0, *steps], steps, strict=False) if now not in (0, before))
