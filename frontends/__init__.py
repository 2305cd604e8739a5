"""Programs of other systems, in and out. Each front end needs its extra; importing this package needs none."""
