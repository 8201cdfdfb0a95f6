"""Installing: how an assistant's own files are made to name Lukasa, and made again as they were.

assistants (which files, and what stands in them) · json_text and toml_text (how text is put into a file that
somebody else wrote) · files (how it is written) · plan (what is to be done, and done).
"""
