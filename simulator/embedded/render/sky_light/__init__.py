"""Light and air of a weather: sky, clouds, sun, haze, rain, and the exposure metered under them."""
