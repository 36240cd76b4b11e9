"""Calls: CARLA's RPC methods, one table, from the name of a call to what the world does for it."""
