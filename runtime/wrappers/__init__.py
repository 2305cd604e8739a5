"""Hand-written classes on top of brewed ones: what a definition cannot say about an instruction."""
