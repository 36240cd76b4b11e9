"""Folders of cut-outs: their index, and cut-outs from photographs with masks."""
