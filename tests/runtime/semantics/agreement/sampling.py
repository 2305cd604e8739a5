"""Drawing with given random numbers beside the quantiles of scipy's discrete distributions."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special, stats

from tests.runtime.semantics.check import Check, Pairs
from tests.runtime.semantics.from_arrays import beside, normal

UNIFORMS = np.random.default_rng(7).uniform(size=200)


def quantiles() -> Iterator[tuple[Any, Any]]:
    """The index is the quantile of the random number, of the distribution that the options leave."""
    for top_k, top_p, temperature in itertools.product((0, 1, 3, 9), (1.0, 0.6, 0.0), (1.0, 0.3)):
        logits = np.tile(2 * normal(1, 8), (200, 1))
        weights = _kept(logits[0], top_k, top_p, temperature)
        law = stats.rv_discrete(values=(np.arange(8), weights / weights.sum()))
        form = f"graph.sample %x uniforms %u {{top_k = {top_k}, top_p = {top_p}, temperature = {temperature}}}"
        yield from beside(form, law.ppf(UNIFORMS).astype(np.int32), x=logits, u=UNIFORMS)


def _kept(logits: Any, top_k: int, top_p: float, temperature: float) -> Any:
    """The probabilities that stay, taken away one by one."""
    most_probable = np.argsort(logits)[::-1]
    alive = set(most_probable[: top_k or None])
    weights = special.softmax([x / temperature if at in alive else -np.inf for at, x in enumerate(logits)])
    for rarest in most_probable[:0:-1]:
        alive_weights = np.delete(weights, rarest)
        if top_p < 1 and alive_weights.sum() >= top_p - 1e-12:
            weights[rarest] = 0
    return weights


def certain() -> Pairs:
    """Without a choice there is no need of random numbers; ties, zeros and the coldest temperature."""
    x = np.array([[0.1, 5.0, 0.3], [7.0, -np.inf, 6.9]])
    yield from beside("graph.sample %x {top_k = 1}", x.argmax(axis=1).astype(np.int32), x=x)
    yield from beside("graph.sample %x {top_p = 0}", x.argmax(axis=1).astype(np.int32), x=x)
    yield from beside("graph.sample %x {temperature = 0}", x.argmax(axis=1).astype(np.int32), x=x)
    yield from beside("graph.sample %x {top_k = 1}", x.argmax(axis=1).astype(np.float32), x=x)
    ties, u = np.zeros((4, 4)), np.array([0.0, 0.25, 0.6, 0.999])
    yield from beside("graph.sample %x uniforms %u", np.array([0, 1, 2, 3], np.int32), x=ties, u=u)
    yield from beside("graph.sample %x uniforms %u {top_k = 2}", np.array([0, 1, 2, 3], np.int32), x=ties, u=u)
    first = np.array([[-np.inf, 0.0, 0.0], [0.0, -np.inf, -np.inf]])
    ends = np.array([0.0, np.nextafter(1, 0)])
    yield from beside("graph.sample %x uniforms %u", np.array([1, 0], np.int32), x=first, u=ends)


CHECKS = (
    Check("graph.sample", "quantiles of scipy.stats.rv_discrete", quantiles, 0),
    Check("graph.sample", "by hand", certain, 0),
)
