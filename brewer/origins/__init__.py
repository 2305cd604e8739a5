"""Where things come from: the file and line of each key of a definition, the template line of each generated line.

    trees      a definition with its bases merged in, every key with its place
    traced     rendering once more, with a mark before each piece of text that a template writes
    members    what a generated module consists of, from its syntax tree
    lines      all of it together: a generated line, the template lines that wrote it, the key that it is about

Deliberately absent: searching for text. A line is known by what wrote it, never by what it looks like.
"""
