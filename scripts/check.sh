#!/usr/bin/env bash
# check.sh BIN: everything that can be judged without running the product. All of it runs; any failure fails.
# As many steps at once as there are cores, since most of them use one; the longest begin first.
set -u
bin=$1
logs=$(mktemp -d)
mkdir "$logs/ansible"
trap 'rm -rf "$logs"' EXIT
# The profile stands in .ansible-lint; ansible-playbook is looked for in PATH. Without a lab the inventory has planned hosts.
mapfile -t playable < <(ls -d roles playbooks site.yml 2>/dev/null)
names=()
step() {
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  local log=$logs/${#names[@]}
  names+=("$1")
  shift
  (
    started=$SECONDS
    "$@" >"$log" 2>&1 </dev/null || touch "$log.failed"
    echo $((SECONDS - started)) >"$log.seconds"
  ) &
}
# ansible-lint looks into ~/.ansible before the tree: an older gpufabric.host installed there would be judged instead.
lint() {
  env ANSIBLE_HOME="$logs/ansible" GPUFABRIC_PLANNED=true PATH="$(realpath "$bin"):$PATH" ansible-lint --strict "$@"
}
# In two halves, side by side: most of its time is one process for all files.
step "ansible-lint molecule" lint molecule
step "ansible-lint" lint "${playable[@]}"
step "mypy --strict" "$bin/mypy"
step "all sites come out as before" scripts/baseline.sh "$bin"
step "tests can be collected" "$bin/python" -m pytest --collect-only -qqq
step "yamllint" "$bin/yamllint" --strict .
step "import contracts" "$bin/lint-imports" --no-cache
step "docs/clients.md is what the tests of clients say" "$bin/python" scripts/clients_page.py
step "docs/checks.md is what the checks say" "$bin/python" scripts/checks_page.py
step "docs/congestion-*.md are what the profiles set" "$bin/python" scripts/congestion_page.py
step "docs/gallery.md shows the sites of the gallery as they are" "$bin/python" scripts/gallery_page.py
step "docs/ecn.md is what records and published rows say" "$bin/python" scripts/ecn_page.py
step "docs/counters.md is what the table of counters says" "$bin/python" scripts/counters_page.py
step "docs/headroom.md is what figures and published rows say" "$bin/python" scripts/headroom_page.py
step "docs/errors.md is what nornir explain says" "$bin/python" scripts/errors_page.py
step "docs/dev/lines.md shows what the tables of lines say" "$bin/python" scripts/lines_page.py
step "docs/json.md is what documents hold, and no key went" "$bin/python" scripts/json_page.py
step "docs/role-variables.md is what the roles say" "$bin/python" scripts/roles_page.py
step "docs/support.md is what capabilities and catalogue say" "$bin/python" scripts/support_page.py
step "docs/intent.md is what the model says" "$bin/python" scripts/intent_page.py
step "the documentation site builds, with no dead link" "$bin/python" scripts/docs_site.py
step "ruff" "$bin/ruff" check .
step "ruff format" "$bin/ruff" format --check .
wait
failed=()
for number in "${!names[@]}"; do
  echo "-- ${names[number]} ($(cat "$logs/$number.seconds") s)"
  cat "$logs/$number"
  if [ -e "$logs/$number.failed" ]; then failed+=("${names[number]}"); fi
done
if [ ${#failed[@]} -gt 0 ]; then
  printf -v list '%s, ' "${failed[@]}"
  echo "failed: ${list%, }" >&2
  exit 1
fi
