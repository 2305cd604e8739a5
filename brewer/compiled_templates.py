"""Templates as Python code, kept between runs in `.brewer_cache/`: compiling them is a quarter of a run after an edit.

Code is only taken where its digest fits, and where it was made from the same text, by the same release of Jinja, the
same brewer and the same Python: what is damaged, cut off or from elsewhere is compiled anew, and nothing is said. A
template may do whatever Python may, so its code is trusted as it is: by whoever brews in this folder.

Deliberately absent: `--check` and `--diff`, which trust nothing that an earlier run has left.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Mapping
from types import CodeType

import jinja2
from jinja2.bccache import Bucket

from brewer.cache import read_code, write_code
from brewer.fingerprints import digest_of

_DECISIVE = ("Python", "jinja2", "markupsafe", "brewer/templates.py", "tool/brewer/templates.py")


class CompiledTemplates(jinja2.BytecodeCache):
    """What Jinja asks before it compiles a template."""

    def __init__(self, root: str, inputs: Mapping[str, str]) -> None:
        """`inputs` are the fingerprints of a run in the project at `root`."""
        decisive = [f"{name} {inputs.get(name)}" for name in _DECISIVE]
        python = f"{sys.implementation.cache_tag} {sys.flags.optimize}"
        self._root = root
        self._key = digest_of("\n".join([*decisive, python, root, __file__]).encode("utf-8", "surrogateescape"))
        self._kept: dict[str, tuple[str, bytes]] | None = None
        self._is_news = False

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return f"{name} {filename}"

    def load_bytecode(self, bucket: Bucket) -> None:
        made_from, code = self._of_before.get(bucket.key, ("", b""))
        if made_from == bucket.checksum:
            found = marshal.loads(code)
            bucket.code = found if isinstance(found, CodeType) else None

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._of_before[bucket.key] = (bucket.checksum, marshal.dumps(bucket.code))
            self._is_news = True

    def keep(self) -> None:
        """Lets the next run have what this one has compiled."""
        if self._is_news:
            write_code(self._root, self._key, marshal.dumps(self._of_before))

    @property
    def _of_before(self) -> dict[str, tuple[str, bytes]]:
        """By the name and file of a template: the digest of its text and all that it includes, and its code."""
        if self._kept is None:
            body = read_code(self._root, self._key)
            self._kept = marshal.loads(body) if body else {}
        return self._kept
