"""The project itself and what its definitions say, loaded once a process: that takes a second, and many tests ask.

    from tests.this_project import PROJECT, instructions

What is loaded is frozen. Deliberately absent: what tests change, which load their own.
"""

from functools import cache

from brewer.load import Instructions, load
from brewer.project import Project

PROJECT = Project.of_this_tool()


@cache
def instructions() -> Instructions:
    """Return everything that the definitions say."""
    return load(PROJECT)
