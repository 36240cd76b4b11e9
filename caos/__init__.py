"""CAOS, the Combined Anomalous Object Segmentation benchmark: does the car notice the sofa on the road?

What is exported here is the public interface: it is typed, documented, and changes only with a line in the changelog.
Everything below (``caos.scenes``, ``caos.ood_scores`` ...) is open to read and may move between versions. A name is
loaded when it is first used, so that the import is instant and needs only the extras that are used.
"""

import lazy_loader

from caos.foundation.extras import DISTRIBUTION, naming_extras

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from caos.foundation.provenance import package_version

        return package_version(DISTRIBUTION)
    with naming_extras():
        return _load(name)
