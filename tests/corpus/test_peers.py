"""What is claimed beside the peers, which the extra `bench` has."""

import gc
from time import process_time

import pytest

from tests.corpus.beside_peer import casts
from tests.corpus.converters import F16, PEERS, Converter
from tests.corpus.examine import Subject
from tests.corpus.models import MODELS, Model


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
