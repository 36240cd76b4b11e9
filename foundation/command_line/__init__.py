"""What commands share: flags from dataclasses, lazy command groups, extras, plugins, safe terminal output."""
