"""Every diagnostic code with what it says. A code is never given another meaning and never reused."""

from __future__ import annotations

from collections.abc import Mapping

CODES: Mapping[str, str] = {
    # The text of a file.
    "D001": "the file is not UTF-8 text",
    "D002": "the file starts with a byte order mark",
    "D003": "a line ends in a carriage return",
    "D004": "a tab or another control character",
    "D005": "no data type has this name",
    "D006": "the file is not YAML",
    "D007": "the file is empty",
    "D008": "the file holds several YAML documents",
    "D009": "an anchor or an alias",
    "D010": "a key stands twice",
    "D011": "a key that nothing reads",
    "D012": "a plain word or number that YAML readers disagree about",
    "D013": "a key is missing",
    "D014": "a value of the wrong kind",
    "D015": "a word that is not one of those allowed here",
    "D016": "no engine has this name",
    "D017": "no attribute type or enumeration has this name",
    "D018": "a name that is not written as names are",
    "D019": "a name that Python or the generated classes keep for themselves",
    "D020": "the file is nested too deeply",
    "D021": "an explicit YAML tag",
    "D022": "a key has no value",
    "D023": "a file that is not named for its definition",
    "D024": "a value stands twice in a list",
    "D025": "keys that exclude each other",
    "D026": "a file that looks like a definition and is not read",
    "D027": "a file cannot be read",
    "D029": "a summary that is not a sentence",
    # Definitions together.
    "D030": "no definition or class has the name of the base",
    "D031": "definitions are each other's base",
    "D032": "two definitions have one name",
    "D033": "two definitions have one mnemonic",
    "D034": "a field clashes with a member of the base class",
    "D035": "two fields of a definition have one name",
    "D036": "a definition has the name of a sub-command",
    # The printed form.
    "D040": "rhs_str shows a field that does not exist",
    "D041": "rhs_str cannot be parsed back in one way only",
    "D042": "rhs_str is malformed",
    "D043": "a definition without rhs_str that is not abstract",
    "D044": "a mnemonic that is not written as its dialect writes them",
    "D045": "rhs_str shows a field whose value has no short text",
    "D046": "an example of another instruction",
    # Attributes.
    "D050": "a default or choice that does not fit the attribute's type",
    "D051": "a default outside the attribute's bounds",
    "D052": "bounds that do not fit the attribute's type or each other",
    # Hand-written code that a definition names.
    "D060": "no wrapper class has this name",
    "D061": "a wrapper defines what belongs to the generated class",
    "D062": "no function of the semantics has this name",
    "D063": "no inference function has this name, or it needs other fields",
    "D064": "a hand-written class that no definition names as its wrapper",
    # Rules of a definition.
    "D070": "a constraint refers to something that does not exist",
    "D071": "a malformed constraint",
    "D072": "a result rule refers to something that does not exist",
    "D073": "a precision fact refers to something that does not exist",
    "D074": "serialize does not fit the fields",
    "D075": "a rename that does not fit the fields or versions",
    "D076": "the engine is not one of the engines",
    # Documents of facts about foreign operators.
    "D090": "an operator without a version, or a version that is no number",
    "D091": "two operands at one place",
    # Rendering and writing.
    "D080": "a template failed",
    "D081": "a rendered module is not Python",
    "D082": "a file that brewer did not write stands in the way",
    "D083": "no definition has this name",
    "D084": "a folder of the project is missing",
}
