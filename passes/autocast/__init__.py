"""The casts that let f32 programs run in a narrower float: the table of modes, the guards, and the rewriting itself."""
