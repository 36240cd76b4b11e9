"""How foreign each pixel looks, and how well that was told."""
