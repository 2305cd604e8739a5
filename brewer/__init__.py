"""Definitions and templates in, Python text out.

Deliberately absent: any knowledge of what an instruction does when it runs, and any import of what is generated. Base
classes, wrappers and named functions of the project are read as source text (`ast`), never imported.

The way of a definition, one module a step:
    text_files -> yaml_tree -> inheritance -> read_definition (model) -> checks -> views -> rendering -> plan -> writing
Around it: brewing (a complete run), incremental (one after few changes), fingerprints, cache, memory (what was there).
"""
