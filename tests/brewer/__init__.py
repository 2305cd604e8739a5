"""The tests of the generator."""
