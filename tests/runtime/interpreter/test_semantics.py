"""Every instruction finds the function that its definition names, and that is all it takes to have semantics."""

import pytest

from runtime.instruction_set import standard
from runtime.semantics import find


@pytest.mark.parametrize("mnemonic", [name for name, cls in standard().items() if cls.INFO.semantics is not None])
def test_the_name_of_the_semantics_leads_to_a_function(mnemonic: str) -> None:
    name = standard()[mnemonic].INFO.semantics
    assert name is not None
    found = find(name)
    assert f"{found.__module__}.{found.__name__}" == f"runtime.semantics.{name}"


@pytest.mark.parametrize("name", ["copies.copyy", "copies._moved", "nowhere.copy", "copy", "copies.", "a.b.c"])
def test_a_name_that_leads_nowhere_is_refused(name: str) -> None:
    with pytest.raises(LookupError, match=f'has no function "{name}"; a name is `family.function`'):
        find(name)
