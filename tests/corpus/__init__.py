"""The corpus: real ONNX models, converted, checked, run and measured beside peers; `python -m tests.corpus --help`."""
