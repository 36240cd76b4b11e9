"""Nature: what storms, fields and shores leave behind (nothing that grows along a road)."""
