"""Entries: the memories themselves, what they may be, and all that can be done with them.

kinds (rules) · fields (the door) · entry (the type) · reach (isolation) · reading · writing ·
naming · links · forgetting · records and formats (out and in) · checking
"""
