"""The tests of brewer. Never shipped, and imported by nothing outside this folder."""
