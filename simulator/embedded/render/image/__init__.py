"""Images at full resolution: direct light, surface colours, denoising, tone mapping, and updates of changed regions."""
