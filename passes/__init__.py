"""Transformations of programs, one a file, and the framework that runs them."""
