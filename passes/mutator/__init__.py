"""`DTypeMutator`: lets the producer of an operand write another dtype, where every gate says yes."""
