"""Looking at photographs: what a run finds foreign in them, drawn over them."""
