#!/usr/bin/env bash
# baseline.sh BIN [--large] [--write | --keep FOLDER]: does any site come out otherwise than tests/baseline.sums says?
set -euo pipefail
bin=$1
shift
exec "$bin/python" tests/baseline/run.py "$@"
