"""CAOS, the Combined Anomalous Object Segmentation benchmark: does the car notice the sofa on the road?

What is exported here is the public interface: it is typed, documented, and changes only with a line in the changelog.
Everything below (``caos.scenes``, ``caos.ood_scores`` ...) is open to read and may move between versions. A name is
loaded when it is first used, so that the import is instant and needs only the extras that are used.
"""


def __getattr__(name: str) -> object:
    # Imported here, so that the command line is there to hear Ctrl-C before anything else is loaded.
    from caos.public_names import public_name

    return public_name(name)


def __dir__() -> list[str]:
    from caos.public_names import public_name

    return sorted([*globals(), *public_name("__all__")])
