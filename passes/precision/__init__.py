"""Precision policies: which instructions run in a lower float, and why."""
