"""How offloaded copies and conversions fold into their neighbours: which elements, when, and who else sees them."""
