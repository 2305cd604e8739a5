"""An instruction finds the function that its definition names, and that is all it takes to have semantics.

That each has one, or says why not, is asked in `tests/runtime/semantics`.
"""

import pytest

from runtime.instruction_set import standard
from runtime.semantics import find

NAMED = sorted((name, cls.INFO.semantics) for name, cls in standard().items() if cls.INFO.semantics)


@pytest.mark.parametrize(("mnemonic", "name"), NAMED, ids=lambda text: text)
def test_the_name_of_the_semantics_leads_to_a_function(mnemonic: str, name: str) -> None:
    found = find(name)
    assert f"{found.__module__}.{found.__name__}" == f"runtime.semantics.{name}"


@pytest.mark.parametrize("name", ["copies.copyy", "copies._moved", "nowhere.copy", "copy", "copies.", "a.b.c"])
def test_a_name_that_leads_nowhere_is_refused(name: str) -> None:
    with pytest.raises(LookupError, match=f'has no function "{name}"; a name is `family.function`'):
        find(name)
