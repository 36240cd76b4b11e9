"""Identity of a torch network: one hash of everything that its outputs depend on, as far as it can be seen.

The weights alone do not say what a network computes: a ReLU in place of a sigmoid, or a temperature kept as a plain
number, has none. So the tree of modules, shapes and dtypes, buffers, plain attributes, hooks and the code of the
network's own classes count as well. Comments, docstrings, and the rest of the file that defines a class do not.
"""

from __future__ import annotations

from torch import nn

from caos.ood_scores.scorer_interface.object_digest import ObjectDigest


def network_digest(network: nn.Module) -> str:
    """Return a hash that differs between networks that may give different outputs."""
    digest = ObjectDigest()
    digest.add_network(network)
    return digest.hexdigest()
