"""CARLA's wire protocol: RPC over TCP, data streams, the structures in both, and the releases that differ in them.

``rpc`` serves calls, ``streams`` sends sensor data and world states, ``wire`` decodes and encodes CARLA's structures,
``releases`` lists the differences between CARLA releases, ``traffic_manager_sync`` works around a race in the client.
"""
