#!/bin/sh
# Starts Lukasa where it is installed, or else by uvx. A hook that finds neither lets the conversation go on.
if command -v lukasa >/dev/null 2>&1; then
  exec lukasa "$@"
fi
if command -v uvx >/dev/null 2>&1; then
  exec uvx --from 'lukasa[mcp]' lukasa "$@"
fi
echo "Lukasa is not installed: pip install 'lukasa[mcp]'" >&2
[ "$1" = hook ] || exit 127
