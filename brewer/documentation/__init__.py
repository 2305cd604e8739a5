"""The reference documentation of an instruction set: what its definitions say, as pages for people.

reference.py collects the pages; markdown.py and html.py write the same pages in two forms. Deliberately absent: any
fact that is not in a definition, and any import of what is brewed.
"""
