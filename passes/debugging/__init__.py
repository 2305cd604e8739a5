"""What people need where a pass goes wrong: programs between passes, reproducers, and the search for the culprit."""
