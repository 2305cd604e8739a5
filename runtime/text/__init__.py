"""The text form of programs; grammar.md describes it. Nothing is imported here: take what you need from the modules."""
