"""Memory over the Model Context Protocol: a tool set, its entries as resources, and two prompts.

card (who the server is) · greeting (the first answer) · wire (standard input and output) · desk (what one
client may use) · server (the protocol's questions, answered from a desk) · prompts, resources · start (the
heavy parts last) · stream (over stdio) · tokens, http (over streamable HTTP).

Always true: standard output carries the protocol alone; a client reaches what its desk was bound to, and no
argument of a call widens that; what a model can put right comes back as a tool's error that says how. The
protocol itself is the official SDK's, in both of its eras; card, greeting, wire, desk, tokens and start do
without it, so that the first answer is given before it is loaded.
"""
