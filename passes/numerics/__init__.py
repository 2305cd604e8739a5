"""`--verify-numerics`: does a pass change what a program computes in no way but those that it states?"""
