"""Benchmarks, each beside its peers in the same run: `python -m bench [--smoke] [NAME ...]`. Never shipped."""
