#!/usr/bin/env bash
# timed.sh NAME COMMAND...: run it, then print how long it took. Its exit code is the command's.
set -u
name=$1
shift
started=$SECONDS
"$@"
code=$?
printf '%s: %s after %d s\n' "$name" "$([ $code -eq 0 ] && echo done || echo "FAILED (exit $code)")" $((SECONDS - started))
exit $code
