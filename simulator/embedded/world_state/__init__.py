"""State of one episode: the loaded town, its actors, traffic lights, road facts, and the step that advances them.

``world`` joins the parts. ``actors``, ``actor_bodies`` and ``skeleton`` describe actors; ``loaded_town``, ``maps``,
``opendrive_check`` and ``road_facts`` describe the town; ``traffic_lights`` runs the signals; ``shared_renderer`` draws
the current state for sensors. Nothing here uses sockets.
"""
