"""Measuring Lukasa: how good its recall is, and how fast. What `lukasa bench` runs."""
