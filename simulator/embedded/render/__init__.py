"""Renderer: a scene description goes in; colour, tags, instance ids and depth come out.

``description`` holds what goes in and comes out, ``renderer`` joins the rest: ``caster`` and ``rays`` (Embree: labels,
depth, any ray), ``stage``, ``geometry``, ``materials`` and ``lights`` (the Mitsuba scene), ``sky``, ``daylight`` and
``clouds`` (light from above), ``guides`` and ``denoise`` (a clean image from two samples a pixel), ``atmosphere``,
``exposure`` and ``film`` (from light to bytes). ``preview`` looks at single meshes, ``bench`` measures, ``sample`` is a
small street to try things on.
"""
