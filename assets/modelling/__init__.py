"""Procedural modelling: shapes, assembly, materials, textures, hinges and gait."""
