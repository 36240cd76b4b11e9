"""What a scorer is: its base class, inputs, settings, specification strings, registry and identity."""
