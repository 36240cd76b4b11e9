"""Figures of CARLA's walkers, by blueprint id."""

from __future__ import annotations

from caos.assets.street.people.figures import Figure, Rgb

_FAIR: Rgb = (226, 180, 154)
_LIGHT: Rgb = (208, 158, 128)
_TAN: Rgb = (176, 126, 92)
_BROWN: Rgb = (132, 88, 62)
_DARK: Rgb = (88, 58, 42)
_BLACK_HAIR: Rgb = (24, 20, 20)
_BROWN_HAIR: Rgb = (66, 42, 28)
_AUBURN: Rgb = (112, 54, 30)
_BLOND: Rgb = (188, 146, 84)
_GREY: Rgb = (150, 148, 144)
_NAVY: Rgb = (32, 42, 68)
_DENIM: Rgb = (58, 78, 112)
_CHARCOAL: Rgb = (48, 50, 54)
_BEIGE: Rgb = (186, 164, 130)
_CREAM: Rgb = (226, 218, 200)
_RED: Rgb = (168, 38, 40)
_GREEN: Rgb = (60, 98, 70)
_MUSTARD: Rgb = (204, 152, 44)
_WHITE: Rgb = (230, 230, 226)
_PINK: Rgb = (206, 120, 142)
_SKY: Rgb = (112, 152, 192)
_BLACK: Rgb = (26, 26, 28)

# fmt: off

CAST: dict[int, Figure] = {
    1: Figure(1.68, True, 1.0, _FAIR, _BROWN_HAIR, _RED, _NAVY, hair="long", top="coat", bottom="jeans", bag="handbag"),
    2: Figure(1.80, False, 1.05, _LIGHT, _BROWN_HAIR, _SKY, _BEIGE, top="shirt"),
    3: Figure(1.77, False, 1.12, _TAN, _BLACK_HAIR, _GREEN, _DENIM, top="tee", bottom="jeans", shoe_color=(210, 208,
    202),
        pattern="stripes", second_color=_CREAM),
    4: Figure(1.84, False, 1.0, _DARK, _BLACK_HAIR, _CHARCOAL, _CHARCOAL, top="jacket", inner_color=_WHITE,
    bag="shoulder", pose="rest"),
    5: Figure(1.64, True, 1.05, _BROWN, _BLACK_HAIR, _MUSTARD, _NAVY, hair="afro", top="blouse", bottom="skirt",
    shoe_color=(120, 60, 44)),
    6: Figure(1.70, True, 0.96, _FAIR, _BLOND, _WHITE, _DENIM, hair="ponytail", top="tee", bottom="shorts",
    shoe_color=(220, 220, 216), bag="backpack", bag_color=(40, 96, 110)),
    7: Figure(1.66, True, 1.1, _LIGHT, _AUBURN, _GREEN, _GREEN, hair="bob", top="blouse", bottom="dress"),
    8: Figure(1.62, True, 1.15, _TAN, _BLACK_HAIR, _PINK, _CHARCOAL, hair="bun", top="jacket", bottom="trousers",
    bag="tote", bag_color=_CREAM),
    9: Figure(1.22, True, 1.0, _FAIR, _BLOND, _PINK, _DENIM, hair="ponytail", top="tee", bottom="skirt",
    head_share=0.17, shoe_color=_WHITE, bag="backpack", bag_color=(150, 60, 130),
        pattern="stripes"),
    10: Figure(1.12, True, 1.05, _BROWN, _BLACK_HAIR, _MUSTARD, _RED, hair="bun", top="tee", bottom="dress",
    head_share=0.18, shoe_color=_WHITE),
    11: Figure(1.30, True, 1.0, _LIGHT, _BROWN_HAIR, _SKY, _NAVY, hair="long", top="jacket", bottom="jeans",
    head_share=0.162),
    12: Figure(1.26, False, 1.05, _LIGHT, _BROWN_HAIR, _RED, _DENIM, top="tee", bottom="shorts", head_share=0.165,
    shoe_color=_WHITE, hat="cap", hat_color=(30, 70, 130),
        pattern="stripes", second_color=_NAVY),
    13: Figure(1.16, False, 1.08, _TAN, _BLACK_HAIR, _GREEN, _BEIGE, top="jacket", head_share=0.175, hat="beanie",
    hat_color=_MUSTARD),
    14: Figure(1.34, False, 1.0, _DARK, _BLACK_HAIR, _SKY, _CHARCOAL, top="shirt", bottom="jeans", head_share=0.16,
    bag="backpack", bag_color=_RED),
    15: Figure(1.72, True, 0.95, _LIGHT, _BROWN_HAIR, _BEIGE, _BLACK, hair="long", top="coat", bottom="trousers",
    bag="shoulder", bag_color=(92, 50, 34)),
    16: Figure(1.78, False, 1.0, _FAIR, _BLOND, _NAVY, _BEIGE, top="jacket", inner_color=_SKY, pose="pockets"),
    17: Figure(1.75, False, 1.2, _BROWN, _BLACK_HAIR, _CREAM, _CHARCOAL, top="shirt", hat="brim", hat_color=(150, 126,
    92),
        pattern="check", second_color=_SKY),
    18: Figure(1.82, False, 1.02, _LIGHT, _BLACK_HAIR, _CHARCOAL, _DENIM, top="jacket", bottom="jeans",
    bag="backpack", bag_color=_BLACK, pose="phone"),
    19: Figure(1.67, True, 1.0, _TAN, _BLACK_HAIR, _WHITE, _CHARCOAL, hair="bob", top="blouse", bottom="skirt",
    bag="handbag", bag_color=_RED),
    20: Figure(1.60, True, 1.25, _FAIR, _GREY, _SKY, _BEIGE, hair="bob", top="jacket", bottom="trousers", bag="tote",
    bag_color=(80, 110, 80)),
    21: Figure(1.71, True, 0.98, _DARK, _BLACK_HAIR, _RED, _RED, hair="bun", top="tee", bottom="dress", bag="shoulder"),
    22: Figure(1.65, True, 1.02, _BROWN, _BLACK_HAIR, _NAVY, _NAVY, top="coat", bottom="long_skirt", hat="scarf",
    hat_color=(150, 110, 130)),
    23: Figure(1.69, True, 0.97, _FAIR, _AUBURN, _MUSTARD, _DENIM, hair="long", top="jacket", bottom="jeans",
    pose="phone"),
    24: Figure(1.76, False, 1.28, _LIGHT, _GREY, _BEIGE, _BROWN_HAIR, top="jacket", inner_color=_WHITE, hat="cap",
    hat_color=(90, 84, 74)),
    25: Figure(1.73, False, 1.18, _FAIR, _GREY, _GREEN, _CHARCOAL, top="coat", hair="bald"),
    26: Figure(1.86, False, 1.08, _BROWN, _BLACK_HAIR, _WHITE, _BEIGE, top="tee", bottom="shorts", shoe_color=_WHITE,
        pattern="stripes", second_color=_NAVY),
    27: Figure(1.79, False, 1.0, _TAN, _BLACK_HAIR, _BLACK, _DENIM, top="jacket", bottom="jeans", hat="hood",
    hat_color=_BLACK, pose="pockets"),
    28: Figure(1.74, False, 0.98, _FAIR, _AUBURN, _RED, _CHARCOAL, top="shirt", hair="fringe", bag="shoulder",
    bag_color=_CHARCOAL,
        pattern="check", second_color=_NAVY),
    29: Figure(1.81, False, 1.15, _DARK, _BLACK_HAIR, _MUSTARD, _NAVY, top="shirt", hair="bald"),
    30: Figure(1.83, False, 1.1, _LIGHT, _BROWN_HAIR, (28, 34, 52), (24, 28, 40), top="jacket", hat="police",
    hat_color=(22, 26, 40), vest=(206, 214, 40)),
    31: Figure(1.66, True, 1.04, _LIGHT, _BLACK_HAIR, _PINK, _CHARCOAL, hair="ponytail", top="tee", bottom="jeans",
    shoe_color=_WHITE),
    32: Figure(1.72, True, 1.02, _TAN, _BROWN_HAIR, (28, 34, 52), (24, 28, 40), hair="bun", top="jacket",
    hat="police", hat_color=(22, 26, 40), vest=(206, 214, 40)),
    33: Figure(1.77, False, 1.02, _BROWN, _BLACK_HAIR, (96, 60, 110), _CHARCOAL, top="jacket", bottom="jeans",
    bag="backpack", bag_color=_GREEN),
    34: Figure(1.80, False, 1.06, _FAIR, _BROWN_HAIR, _CHARCOAL, _CHARCOAL, top="coat", inner_color=_RED,
    bag="shoulder"),
    35: Figure(1.63, True, 1.08, _BROWN, _BLACK_HAIR, _CREAM, _AUBURN, hair="long", top="blouse", bottom="long_skirt",
        pattern="stripes", second_color=_AUBURN),
    36: Figure(1.68, True, 1.0, _FAIR, _BLOND, _CHARCOAL, _CHARCOAL, hair="bob", top="coat", bottom="trousers",
    inner_color=_WHITE, bag="handbag"),
    37: Figure(1.70, True, 1.12, _DARK, _BLACK_HAIR, _SKY, _WHITE, hair="afro", top="tee", bottom="shorts",
    shoe_color=(170, 130, 96), bag="tote", bag_color=_BEIGE),
    38: Figure(1.75, False, 1.0, _TAN, _BLACK_HAIR, _NAVY, _DENIM, top="shirt", bottom="jeans", hat="beanie",
    hat_color=_RED, pose="phone"),
    39: Figure(1.78, False, 1.1, _LIGHT, _BROWN_HAIR, (216, 98, 28), _NAVY, top="jacket", hat="cap", hat_color=(216,
    98, 28), vest=(224, 120, 30)),
    40: Figure(1.64, True, 1.0, _LIGHT, _BLACK_HAIR, _GREEN, _BLACK, hair="bob", top="jacket", bottom="jeans",
    bag="shoulder"),
    41: Figure(1.69, True, 1.0, _TAN, _BROWN_HAIR, _WHITE, _SKY, hair="long", top="blouse", bottom="dress",
    bag="handbag", bag_color=_BEIGE,
        pattern="check", second_color=_PINK),
    42: Figure(1.58, True, 1.3, _FAIR, _GREY, (120, 70, 92), _CHARCOAL, hair="bun", top="coat", bottom="skirt",
    bag="handbag", stride=0.6),
    43: Figure(1.61, True, 1.22, _BROWN, _GREY, _BEIGE, _NAVY, hair="bob", top="jacket", bottom="long_skirt",
    stride=0.6),
    44: Figure(1.60, True, 1.12, _LIGHT, _GREY, _SKY, _BEIGE, hair="bob", top="jacket", bottom="trousers", hat="brim",
    hat_color=_CREAM, stride=0.65),
    45: Figure(1.72, False, 1.15, _FAIR, _GREY, _CHARCOAL, _BEIGE, top="shirt", hat="cap", hat_color=(110, 104, 92),
    stride=0.65,
        pattern="check", second_color=_GREY),
    46: Figure(1.76, False, 1.04, _DARK, _BLACK_HAIR, _GREEN, _CHARCOAL, top="tee", bottom="jeans", bag="backpack",
    bag_color=_MUSTARD),
    47: Figure(1.82, False, 0.98, _LIGHT, _BLOND, _WHITE, _DENIM, top="tee", bottom="jeans", shoe_color=_WHITE,
    pose="phone"),
    48: Figure(1.18, True, 1.02, _TAN, _BLACK_HAIR, _RED, _NAVY, hair="bob", top="coat", bottom="trousers",
    head_share=0.172),
    49: Figure(1.28, True, 1.0, _DARK, _BLACK_HAIR, _WHITE, _PINK, hair="afro", top="tee", bottom="skirt",
    head_share=0.162, shoe_color=_WHITE),
    50: Figure(1.56, True, 0.94, _FAIR, _AUBURN, (90, 70, 130), _DENIM, hair="long", top="jacket", bottom="jeans",
    head_share=0.143, bag="backpack", bag_color=_BLACK, shoe_color=_WHITE),
    51: Figure(1.62, False, 0.94, _BROWN, _BLACK_HAIR, _BLACK, _CHARCOAL, top="jacket", bottom="shorts",
    head_share=0.142, hat="hood", hat_color=_BLACK, shoe_color=_WHITE),
}
