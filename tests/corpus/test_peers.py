"""What is claimed beside the peers, which the extra `bench` has."""

import gc
from time import process_time

import pytest
from onnx import parser

from tests.corpus.beside_peer import casts, main
from tests.corpus.converters import F16, PEERS, Converter
from tests.corpus.examine import Subject
from tests.corpus.models import MODELS, Model
from tests.corpus.same_nodes import kept_nodes


@pytest.mark.corpus
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_no_more_casts_are_left_than_by_a_peer_that_keeps_the_same_nodes_in_f32(model: Model) -> None:
    ours, theirs = casts(Subject(model))
    assert (ours.joins, ours.repeated_casts) == (0, 0)
    assert ours.new_casts <= theirs.new_casts


@pytest.mark.bench
def test_the_whole_corpus_is_converted_in_less_time_than_by_a_peer() -> None:
    taken = dict.fromkeys((F16, *PEERS), 0.0)
    for model in MODELS:
        subject = Subject(model)
        for converter in taken:
            taken[converter] += _seconds(subject, converter)
    assert all(taken[F16] < taken[peer] for peer in PEERS), {str(each): seconds for each, seconds in taken.items()}


def _seconds(subject: Subject, converter: Converter) -> float:
    """Return the time of the second conversion; none where the converter refuses the model."""
    try:
        converter.convert(subject.copy())
    except ValueError:
        return 0.0
    model = subject.copy()
    gc.collect()
    start = process_time()
    converter.convert(model)
    return process_time() - start


def test_an_unknown_model_is_an_error_with_near_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nudnet"]) == 2
    assert capsys.readouterr().err == 'error: there is no model "nudnet"; did you mean "nudenet"?\n'


def test_the_nodes_that_stay_f32_are_those_without_anything_low() -> None:
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[1] x, int64[1] n) => (float[1] y, int64[1] m) {%s}'
    source = parser.parse_model(text % "[a] h = Neg(x) [b] y = Exp(h) [c] m = Add(n, n)")
    low = "[x1] l = Cast<to = 10>(x) [a] h = Neg(l) [x2] w = Cast<to = 1>(h) [b] y = Exp(w) [c] m = Add(n, n)"
    assert kept_nodes(source, parser.parse_model(text % low)) == ["b", "c"]
