"""Calls: table of CARLA's RPC methods and their implementations."""
