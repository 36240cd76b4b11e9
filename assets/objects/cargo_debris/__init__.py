"""Cargo and debris: lost loads of lorries and material of building sites."""
