"""What an attention asks of its heads and of its mask."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.AttentionGen import AttentionGen
from runtime.heads import why_not_heads, why_not_mask
from runtime.instructions import Problem
from runtime.relations import may_be_equal


class Attention(AttentionGen):
    """An attention whose operands have its heads, and whose mask is that of its kind."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        query, key = self.query.type, self.key.type
        for name, operand in (("query", query), ("key", key)):
            wrong = why_not_heads(operand, self.layout, self.num_heads, self.head_dim)
            if wrong is not None:
                yield Problem(wrong, name)
        if query.shape and key.shape and not may_be_equal(query.shape[0], key.shape[0]):
            yield Problem(f"query has a batch of {query.shape[0]}, and key one of {key.shape[0]}", "key")
        cap = self.attn_logit_softcap
        if cap is not None and not cap > 0:
            yield Problem(f"the bound of products is {cap}; expected a number above 0, or none", "attn_logit_softcap")
        mask = None if self.mask is None else self.mask.type
        found = why_not_mask(self.mask_kind, self.window, mask, query, key, self.layout, self.num_heads)
        for name, message in found:
            yield Problem(message, name)
