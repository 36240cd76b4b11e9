"""Renderer: a scene description goes in; colour, tags, instance ids and depth come out.

``description`` holds what goes in and comes out, ``renderer`` joins the rest: ``caster`` and ``rays`` (Embree: labels,
depth, any ray), ``stage``, ``geometry``, ``materials`` and ``lights`` (the Mitsuba scene), ``sky``, ``daylight`` and
``clouds`` (light from above), ``sketch``, ``mirrors``, ``colors`` and ``guides`` (direct light at full size),
``relight`` and ``denoise`` (traced light on a coarse grid, and one clean picture of both), ``atmosphere``, ``exposure``
and ``film`` (from light to bytes). ``preview`` looks at single meshes, ``bench`` measures, ``sample`` is a small street
to try things on.
"""
