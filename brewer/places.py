"""Where a run finds what it depends on and what it gives, in a form that the cache can keep.

Deliberately absent: every import, since a run in which nothing has changed loads this.
"""

_READ_OF_OWN = ("runtime", "runtime/wrappers", "runtime/semantics")


class Places:
    """What a run reads and writes, by paths relative to the project; the defaults are those of brewer's own.

    Another repository says it in its settings, which are read by libraries that take time: so the cache keeps it as a
    line of text, and the settings themselves are one of the inputs.
    """

    __slots__ = ("definitions", "modules", "outputs", "python", "settings", "templates", "vocabulary")

    def __init__(
        self,
        definitions: str = "defs",
        templates: str = "templates",
        vocabulary: str = "",
        outputs: str = "generated",
        settings: str = "",
        python: str = "",
        modules: tuple[str, ...] = _READ_OF_OWN,
    ) -> None:
        self.definitions = definitions
        self.templates = templates  # empty: there are none
        self.vocabulary = vocabulary  # empty: it is one of the definitions, or brewer's
        self.outputs = outputs
        self.settings = settings  # empty: brewer's own project
        self.python = python  # where packages of the project stand, behind the project and with a slash at the end
        self.modules = modules  # folders of Python files, or such files without their ending

    @property
    def is_foreign(self) -> bool:
        return bool(self.settings)

    def line(self) -> str:
        """All of it as one line; empty for brewer's own project, and where a path holds a tab or the like."""
        words = [self.definitions, self.templates, self.vocabulary, self.outputs, self.settings, self.python]
        words += self.modules
        return "\t".join(words) if self.is_foreign and "".join(words).isprintable() else ""


def places_of(line: str) -> Places | None:
    """The places that a line tells; None where it tells none."""
    words = line.split("\t")
    if len(words) < 6 or not words[4]:
        return None
    definitions, templates, vocabulary, outputs, settings, python, *modules = words
    return Places(definitions, templates, vocabulary, outputs, settings, python, tuple(modules))
