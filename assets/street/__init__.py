"""Street models: procedural meshes of everything that stands or moves in a town.

Pure functions from parameters (and a seed or ``numpy.random.Generator``) to :class:`caos.assets.mesh.Mesh`.
Origin at the ground centre, front faces +x, metres, parts tagged. Cached functions return shared meshes,
to be instanced.

Street side::

    buildings.building(style, width_m, depth_m, floors, rng)   style in buildings.STYLES (sizes that suit it: RANGES);
                                                               width along y, depth along x, front at x = +depth/2
    vegetation.tree(species, variant=0)                        species in vegetation.SPECIES, variant < VARIANTS; cached
    vegetation.bush(variant=0), hedge(length_m, height_m=1.2, variant=0), flower_bed(length_m, variant=0),
    vegetation.grass_tuft(variant=0)                           hedge and bed run along y, centred
    furniture.furniture(kind, variant=0)                       kind in furniture.KINDS; cached
    signs.sign(kind)                                           kind in signs.KINDS (post and plate, faces +x); cached
    signs.street_name(name), gantry(width_m, lines), direction_board(lines)
    lights.street_light(kind), lamp_offset(kind)               kind in lights.STREET_LIGHTS; arm reaches towards +x
    lights.traffic_light_pole(kind, arm_m=5.0)                 kind in lights.TRAFFIC_POLES ("post", "mast")
    lights.traffic_light_head_poses(kind, arm_m=5.0)           4x4 pole_from_head for each head; arm runs along +y
    lights.traffic_light_head(state)                           "red", "yellow", "red_yellow", "green", "off"; faces +x
    barriers.fence(kind, length_m), wall(kind, length_m), guard_rail(length_m)   run along +x from 0 to length_m
    surfaces.asphalt(variant), paving(kind), ground(kind), kerb(), road_line(color), water()
                                                               -> Finish(material, tile_m); UV = metres / tile_m

Shop windows, lobbies and a share of all other windows are ``emissive``: they show images by day and shine after dark.
"""
