"""Sport and toys."""
