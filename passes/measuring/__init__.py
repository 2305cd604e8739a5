"""`--report` of a pipeline: the casts that it inserts, removes and leaves, and the error of what is computed then."""
