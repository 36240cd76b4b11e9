"""Sentences on what a table's numbers are of: which pixels count, what random scores get, which images are missing."""

from __future__ import annotations

from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.results import ResultsContent


def pixel_words(content: ResultsContent, protocol: Protocol) -> str:
    """Which pixels and images the numbers of a protocol are of, and the AUPR of random scores, in sentences."""
    parts = (_counted(content, protocol), _random(content, protocol), _images(content, protocol))
    return " ".join(part for part in parts if part)


def per_image_protocols(content: ResultsContent) -> list[str]:
    """The names of the protocols that measure image by image and had to leave some images out."""
    return [p.name for p in content.protocols if any(one.excluded for one in content.measures[p.name].values())]


def _counted(content: ResultsContent, protocol: Protocol) -> str:
    ignored = protocol.ignored[:1].upper() + protocol.ignored[1:]
    found = content.pixels.get(protocol.name)
    if found is None:
        return "" if protocol.ignored == "nothing" else f"{ignored} left out."
    if protocol.ignored != "nothing":
        return f"{ignored} left out: {share(found.left_out / found.pixels)} of pixels."
    return (
        f"Void counts as ordinary: {share(found.void / found.pixels)} of pixels." if found.void else "All pixels count."
    )


def _random(content: ResultsContent, protocol: Protocol) -> str:
    found = content.pixels.get(protocol.name)
    if found is None:
        return "These results do not record the AUPR of a random scorer."
    said = f"A random scorer's AUPR is {rate(found.random_aupr)}"
    if protocol.aupr == "trapezoid":
        said += f", that of a constant score {rate((1 + found.random_aupr) / 2)}"
    return f"{said}."


def _images(content: ResultsContent, protocol: Protocol) -> str:
    measured = next(iter(content.measures[protocol.name].values()), None)
    if measured is None or not measured.excluded:
        return ""
    listed = " (`excluded` in results.json)" if protocol.name == content.frame_protocol else ""
    total = measured.images + measured.excluded
    return f"Images left out because they have only one kind of pixel: {measured.excluded} of {total}{listed}."


def share(value: float) -> str:
    """A share in percent with one decimal; more where it would be printed as zero.

    >>> share(0.6914), share(0.00012), share(0)
    ('69.1 %', '0.01 %', '0.0 %')
    """
    percent = 100 * value
    return f"{percent:.1g} %" if 0 < percent < 0.05 else f"{percent:.1f} %"


def rate(value: float) -> str:
    """A rate in percent with two decimals; more where it would be printed as zero.

    >>> rate(0.0067), rate(0.000012)
    ('0.67', '0.0012')
    """
    percent = 100 * value
    return f"{percent:.2g}" if 0 < percent < 0.01 else f"{percent:.2f}"
