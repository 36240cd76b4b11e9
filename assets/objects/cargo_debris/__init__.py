"""Cargo and debris: what falls from lorries and lies about on building sites."""
