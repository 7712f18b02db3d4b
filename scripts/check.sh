#!/usr/bin/env bash
# check.sh BIN: everything that can be judged without running the product. All of it runs; any failure fails.
set -u
bin=$1
failed=()
step() {
  local name=$1
  shift
  echo "-- $name"
  "$@" || failed+=("$name")
}
step "ruff format" "$bin/ruff" format --check .
step "ruff" "$bin/ruff" check .
step "mypy --strict" "$bin/mypy"
step "import contracts" "$bin/lint-imports" --no-cache
step "tests can be collected" "$bin/python" -m pytest --collect-only -qqq
step "all sites come out as before" scripts/baseline.sh "$bin"
step "docs/checks.md is what the checks say" "$bin/python" scripts/checks_page.py
step "docs/congestion-*.md are what the profiles set" "$bin/python" scripts/congestion_page.py
step "docs/clients.md is what the tests of clients say" "$bin/python" scripts/clients_page.py
step "docs/ecn.md is what records and published rows say" "$bin/python" scripts/ecn_page.py
step "docs/headroom.md is what figures and published rows say" "$bin/python" scripts/headroom_page.py
step "docs/support.md is what capabilities and catalogue say" "$bin/python" scripts/support_page.py
step "docs/intent.md is what the model says" "$bin/python" scripts/intent_page.py
step "yamllint" "$bin/yamllint" --strict .
# The profile stands in .ansible-lint; ansible-playbook is looked for in PATH. Without a lab the inventory has planned hosts.
mapfile -t playable < <(ls -d roles playbooks molecule site.yml 2>/dev/null)
# ansible-lint looks into ~/.ansible before the tree: an older gpufabric.host installed there would be judged instead.
ansible_home=$(mktemp -d)
trap 'rm -rf "$ansible_home"' EXIT
step "ansible-lint" env ANSIBLE_HOME="$ansible_home" GPUFABRIC_PLANNED=true PATH="$(realpath "$bin"):$PATH" ansible-lint --strict "${playable[@]}"
if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
