"""CPU renderer: from a scene description to images of colour, tags, instance ids, depth and normals.

``description`` defines input and output, ``quality`` the cost of a frame, and ``renderer`` joins four parts:

* ``ray_casting``: Embree; first hits for labels and depth, and arbitrary rays.
* ``path_tracing``: Mitsuba; the scene, its materials and lights, and global illumination on a coarse grid.
* ``sky_light``: sky, clouds, sun, haze, and exposure metering.
* ``image``: direct light at full resolution, denoising, and tone mapping to 8-bit sRGB.

``preview`` and ``cutouts`` render single meshes, ``sample`` is a small test street, ``bench`` and ``fidelity`` measure
speed and accuracy.
"""
