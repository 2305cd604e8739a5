"""The front ends: programs of other systems, in and out."""
