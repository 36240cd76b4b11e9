"""Table of the objects that ordinary streets show, and a check whether an object is one of them by its name.

A hazard is an anomaly only if no street of the training towns shows such an object. A row holds the training class of
its pixels, the street models that show it (``furniture:bench``; ``sign:*`` is every sign) and the words that name it.
Built-in kinds must not clash with any row, every street model must have a row, and imports leave out what clashes.

Only whole, separate objects count. Parts of a larger object (a tyre of a car, a branch of a tree, a pane) and blurred
patches of colour behind a shop window do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class StreetThing:
    """Object that ordinary streets show.

    Attributes:
        name: Name in messages.
        training_class: Training class of its pixels.
        models: Street models that show it, ``group:kind`` or ``group:*``; empty if only real streets do.
        words: Synonyms of ``name``, in the singular.
    """

    name: str
    training_class: str
    models: tuple[str, ...]
    words: tuple[str, ...] = ()


def _row(name: str, training_class: str, models: str, words: str = "") -> StreetThing:
    listed = tuple(word.strip() for word in words.split(",") if word.strip())
    return StreetThing(name, training_class, tuple(models.split()), listed)


STREET_CONTENTS: tuple[StreetThing, ...] = (
    # vehicles
    _row("car", "car", "vehicle:car vehicle:electric vehicle:taxi",
         "vehicle, automobile, sedan, SUV, sports car, race car, police car, taxi, cab, limousine, jeep, coupe"),
    _row("lorry", "car", "vehicle:truck vehicle:emergency",
         "truck, pickup, fire truck, fire engine, trailer, tanker, semi"),
    _row("van", "car", "vehicle:van", "ambulance, camper, caravan, minivan, minibus, motorhome"),
    _row("bus", "car", "vehicle:bus", "coach, school bus"),
    _row("motorcycle", "car", "vehicle:motorcycle", "motorbike, scooter, moped, vespa"),
    _row("bicycle", "car", "vehicle:bicycle", "bike, cycle, mountain bike, tricycle"),
    _row("train", "car", "", "tram, streetcar, locomotive, railcar"),
    # people, what they wear and what they carry
    _row("person", "pedestrian", "person:*",
         "human, man, woman, child, people, men, women, children, boy, girl, kid, toddler, infant, lady, guy, "
         "gentleman, pedestrian, passer by, jogger, cyclist, biker, rider, motorcyclist, policeman, policewoman, "
         "police officer, fireman, firefighter, businessman, businesswoman, workman, worker, soldier, mannequin, "
         "human figure"),
    _row("wheelchair", "pedestrian", "aid:wheelchair"),
    _row("clothes", "pedestrian", "top:* bottom:*",
         "clothing, shirt, t shirt, jacket, coat, blouse, trousers, jeans, shorts, skirt, dress, shoe, boot, sneaker"),
    _row("headgear", "pedestrian", "hat:cap hat:beanie hat:brim hat:hood hat:scarf hat:police",
         "hat, cap, beanie, hood, scarf, headscarf"),
    _row("helmet", "pedestrian", "hat:helmet hat:bike_helmet", "crash helmet"),
    _row("backpack", "pedestrian", "bag:backpack", "rucksack, knapsack, satchel, school bag, day pack"),
    _row("bag", "pedestrian", "bag:handbag bag:tote bag:shoulder",
         "handbag, purse, tote, shoulder bag, shopping bag, holdall, duffel, duffle, duffel bag, sports bag"),
    _row("telephone", "pedestrian", "carried:phone", "phone, cell phone, mobile phone, smartphone, iphone"),
    # plants
    _row("tree", "vegetation", "tree:*", "palm, conifer, fir, pine, oak, spruce, birch, cypress"),
    _row("bush", "vegetation", "plant:bush plant:hedge", "shrub, hedge"),
    _row("flowers", "vegetation", "plant:flower_bed plant:grass_tuft",
         "flower, plant, potted plant, house plant, grass, flower bed, fern, bouquet, rose, tulip, sunflower"),
    # buildings and their windows
    _row("building", "building", "building:*",
         "house, skyscraper, church, tower, garage, shed, barn, bridge, courtyard, warehouse, shop, office building, "
         "cottage, hut, cabin, villa, hotel, school, petrol station, gas station, post office"),
    _row("shop window", "building", "display:goods display:clothes display:food display:plants", "shop front"),
    # barriers
    _row("wall", "wall", "wall:*", "retaining wall, brick wall"),
    _row("fence", "fence", "fence:*", "fencing, gate, railing, handrail, barrier, barricade, road block, picket fence"),
    _row("guard rail", "fence", "rail:guard_rail", "crash barrier"),
    # poles, lights and signs
    _row("street light", "pole", "light:*", "street lamp, lamp post, lantern post, utility pole, telegraph pole"),
    _row("pole", "pole", "", "flagpole, column, pillar, post"),
    _row("traffic light", "traffic sign", "signal:*", "traffic signal, stop light"),
    _row("traffic sign", "traffic sign", "sign:*", "sign, stop sign, road sign, street sign, direction board, gantry"),
    _row("billboard", "other", "furniture:billboard", "hoarding"),
    # the ground
    _row("road", "road", "surface:asphalt", "street, highway"),
    _row("manhole cover", "road", "furniture:manhole", "manhole, drain cover"),
    _row("pavement", "sidewalk", "surface:paving surface:kerb", "sidewalk, kerb, curb"),
    # street furniture
    _row("bench", "other", "furniture:bench furniture:bench_modern", "park bench"),
    _row("bin", "other", "furniture:bin",
         "trash bin, trash can, garbage can, rubbish bin, litter bin, dustbin, waste basket"),
    _row("skip", "other", "furniture:dumpster", "dumpster, rubbish container"),
    _row("hydrant", "other", "furniture:hydrant", "fire hydrant"),
    _row("bus shelter", "other", "furniture:bus_shelter", "bus stop"),
    _row("postbox", "other", "furniture:mailbox", "mailbox, letter box, pillar box"),
    _row("telephone box", "other", "furniture:phone_box", "phone box, phone booth, telephone booth"),
    _row("bollard", "other", "furniture:bollard"),
    _row("planter", "other", "furniture:planter",
         "planter box, flower pot, plant pot, flower box, window box, plant tub"),
    _row("bicycle stand", "other", "furniture:bike_rack", "bike rack, bicycle rack"),
    _row("newspaper box", "other", "furniture:newspaper_box", "newspaper stand, news rack"),
    _row("kiosk", "other", "furniture:kiosk", "news stand"),
    _row("advertising column", "other", "furniture:ad_column", "poster column, ad column"),
    _row("utility cabinet", "other", "furniture:cabinet",
         "switch cabinet, electrical cabinet, electric cabinet, electrical box, power box, junction box"),
    _row("parking meter", "other", "furniture:parking_meter"),
)  # fmt: skip
"""Everything ordinary streets show."""

DIFFERENT: dict[str, str] = {
    "rubbish bag": "a filled sack; nobody carries one",
    "trash bag": "a filled sack; nobody carries one",
    "garbage bag": "a filled sack; nobody carries one",
    "bin bag": "a filled sack; nobody carries one",
    "bean bag": "a seat",
    "punching bag": "a sports device",
    "sleeping bag": "bedding",
    "dog house": "a kennel, knee-high",
    "doll house": "a toy",
    "bird house": "a box on a tree",
    "coat tree": "a coat stand",
    "chess man": "a game piece",
    "snow man": "made of snow",
    "bed post": "a part of a bed",
    "fishing pole": "a rod",
    "bottle cap": "a lid",
    "range hood": "a kitchen fan",
    "cooker hood": "a kitchen fan",
}
"""Names that hold a street thing's and mean another, and why."""

AFTER_STREET_WORDS: frozenset[str] = frozenset({
    "art", "barrow", "basket", "battery", "bed", "bell", "bottle", "box", "bracket", "brush", "carriage", "cart",
    "case", "chair", "charger", "chest", "clock", "cloth", "cone", "crate", "crib", "cupboard", "decoration", "desk",
    "door", "engine", "fan", "frame", "hanger", "holder", "hook", "horse", "jack", "key", "ladder", "lamp", "leaf",
    "leg", "liner", "lock", "log", "machine", "mat", "mirror", "mount", "needle", "organ", "ornament", "painting",
    "picture", "polish", "pump", "rack", "radio", "roller", "saddle", "seat", "shelf", "stand", "stool", "stump",
    "table", "tent", "tire", "trap", "trunk", "tyre", "unit", "vase", "vice", "wheel",
})  # fmt: skip
"""Things whose names may begin with a street thing's: a bench vice is no bench, nor a pine table a tree."""


def declared(model: str) -> StreetThing | None:
    """Row of the street model ``group:kind``, or None if no row lists it."""
    group = model.partition(":")[0]
    return next((t for t in STREET_CONTENTS if model in t.models or f"{group}:*" in t.models), None)


def clash(names: str | Iterable[str]) -> StreetThing | None:
    """Find the street object that one of these names of a kind or category stands for, or return None.

    A name clashes if it contains the words of a street object as whole words: ``ParkBench``, ``old_benches_02`` and
    ``bench_green`` are benches. If the following word names another object, that one counts: ``bench_vice`` is not a
    bench (``AFTER_STREET_WORDS``, ``DIFFERENT``). Case, punctuation, plurals and numbers are ignored, and two street
    words may be joined: ``pinetree``.
    """
    for name in [names] if isinstance(names, str) else names:
        thing = _named(name)
        if thing is not None:
            return thing
    return None


def _named(name: str) -> StreetThing | None:
    words, start = _words(name), 0
    while start < len(words):
        found, step = _found_at(words, start)
        if found is not None:
            return found
        start += step
    return None


def _found_at(words: list[str], start: int) -> tuple[StreetThing | None, int]:
    """Match the words from ``start`` on, longest name first; return the object (or None) and the number of words."""
    for end in range(len(words), start, -1):
        for name in _singulars("".join(words[start:end])):
            if name in _different():
                return None, end - start
            thing = _by_words().get(name) or _compound(name)
            if thing is not None and not _is_other_thing(words[end : end + 1]):
                return thing, end - start
    return None, 1


def _compound(word: str) -> StreetThing | None:
    """Street object of a word that joins two street words, such as ``palmtree``, or None."""
    known = _by_words()
    return next((known[word[at:]] for at in range(3, len(word) - 2) if word[:at] in known and word[at:] in known), None)


def _is_other_thing(following: list[str]) -> bool:
    return any(name in AFTER_STREET_WORDS for word in following for name in _singulars(word))


def _words(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [word for word in re.split(r"[^a-z]+", spaced.lower()) if word]


def _singulars(word: str) -> list[str]:
    """The word and its possible singular forms."""
    return [word, *(word.removesuffix(end) + instead for end, instead in _PLURALS if word.endswith(end))]


_PLURALS = (("s", ""), ("es", ""), ("ies", "y"), ("sses", "s"))


@cache
def _by_words() -> dict[str, StreetThing]:
    return {"".join(_words(word)): thing for thing in STREET_CONTENTS for word in (thing.name, *thing.words)}


@cache
def _different() -> frozenset[str]:
    return frozenset("".join(_words(name)) for name in DIFFERENT)
