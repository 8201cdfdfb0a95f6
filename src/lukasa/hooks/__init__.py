"""Hooks: how a coding assistant that knows nothing of Lukasa is given its memory, and gives what was said.

contracts (what each assistant calls its events, and what it lets a hook answer) · payload (what it tells a
hook) · transcripts (what was said, from its own files) · events (what each event does) · budget and record
(how a hook stays quick and quiet).
"""
