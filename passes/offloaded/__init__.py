"""What copies and conversions of whole tensors are to their neighbours: which elements, when, and who else sees them."""
