"""What the clean-up passes stand on: what a cast is, what two in a row come to, what is missed."""
