"""Trained runs: checkpoints, prediction, ONNX export and packing."""
