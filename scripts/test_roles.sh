#!/usr/bin/env bash
# test_roles.sh BIN: every Molecule scenario under molecule/.
set -euo pipefail
bin=$1
scenarios=0
failed=0
for scenario in molecule/*/molecule.yml; do
  [ -e "$scenario" ] || continue
  scenarios=$((scenarios + 1))
  name=$(basename "$(dirname "$scenario")")
  PATH="$bin:$PATH" "$bin/molecule" test -s "$name" || failed=$((failed + 1))
done
echo "$scenarios scenarios, $failed failed"
[ "$failed" -eq 0 ]
