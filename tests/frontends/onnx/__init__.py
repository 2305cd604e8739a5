"""The ONNX front end. Expected results come from onnx itself: its checker, its reference evaluator, its test data."""
