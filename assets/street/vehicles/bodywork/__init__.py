"""Car bodies: the plan, the curved shell, its windows and lamps, and the fittings."""
