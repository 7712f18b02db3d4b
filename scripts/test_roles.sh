#!/usr/bin/env bash
# test_roles.sh BIN [--long | SCENARIO...]: Molecule scenarios, several at a time: those of each role and of site.yml, or those that
# show more of roles that have one (--long), or the named ones.
# Each one's output goes to out/roles/<scenario>.log; of one that fails, the log is printed as well.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd "$1" && pwd)
shift
at_once=${ROLES_AT_ONCE:-$(($(nproc) + 2))} # two more than there are cores: there is always one that waits for systemd, for a timer, for packets
limit_s=1200 # for one scenario; hugepages took 43 s of processor time, 276 s on two cores that ten other jobs kept busy
logs=out/roles
# These start first, the longest before the others, so that none of them runs alone at the end.
longest="bastion load_balancer site firewall boundary_relay rail_interfaces roce_qos congestion gpu_operator plane_guard nat_gateway rdma_kubernetes"
# These are run by Ansible's own strategy, which is what an operator has who sets nothing: `site` runs all roles of hosts with and
# without GPUs, `boundary` those of firewalls, others are in neither or have few modules. The rest is run by Mitogen, which takes
# two seconds more for each step and a fifth of the time for each module. One that is added is run by both first.
by_ansible="boundary site way_in bond_interfaces gpu_operator gpudirect host_validate nccl nic_firmware plane_guard rdma_doca rdma_kubernetes"
# These show more of roles that have a scenario of their own: roles together, NVIDIA's packages, another plane. `make test-long` runs them.
long="boundary network_adoption packages rdma_doca rdma_storage"
# This one has 15 hosts, and a machine by default 128 inotify instances, of which each takes 6: it runs before the others.
alone="network_adoption"

if [ "${1:-}" = --long ]; then
  read -ra scenarios <<<"$long"
elif [ $# -eq 0 ]; then
  for role in roles/*/; do
    name=$(basename "$role")
    [ -e "molecule/$name/molecule.yml" ] || { echo "roles/$name has no scenario: molecule/$name/molecule.yml is missing" >&2; exit 1; }
  done
  mapfile -t scenarios < <(for file in molecule/*/molecule.yml; do basename "$(dirname "$file")"; done | grep -vxF -f <(tr ' ' '\n' <<<"$long"))
  mapfile -t scenarios < <({ tr ' ' '\n' <<<"$longest"; printf '%s\n' "${scenarios[@]}"; } | awk '!seen[$0]++')
else
  scenarios=("$@")
fi
for name in "${scenarios[@]}"; do
  for part in molecule.yml converge.yml verify.yml; do # Molecule only warns when one is missing
    [ -e "molecule/$name/$part" ] || { echo "molecule/$name/$part is missing" >&2; exit 1; }
  done
done

daemon_before=$(scripts/role_hosts.sh status)
environment=$(scripts/role_hosts.sh start)
eval "$environment"
if [ "$daemon_before" = none ]; then trap 'scripts/role_hosts.sh stop' EXIT; fi

run_one() {
  local name=$1 started=$SECONDS code=0
  # What Molecule remembers of a run that was interrupted is forgotten.
  export MOLECULE_EPHEMERAL_DIRECTORY=$PWD/$logs/$name.state
  rm -rf "$MOLECULE_EPHEMERAL_DIRECTORY"
  case " $by_ansible " in *" $name "*) ;; *) export ANSIBLE_STRATEGY=mitogen_linear ;; esac
  timeout --kill-after 60 "$limit_s" molecule test --no-command-borders -s "$name" >"$logs/$name.log" 2>&1 </dev/null || code=$?
  if [ "$code" -eq 0 ]; then
    printf '%-24s passed after %3d s\n' "$name" $((SECONDS - started))
  else
    printf '%-24s FAILED after %3d s (exit %d); its log:\n' "$name" $((SECONDS - started)) "$code"
    sed "s/^/$name| /" "$logs/$name.log"
    return 1
  fi
}
export -f run_one
strategies=$("$bin/python" -c 'import ansible_mitogen, os; print(os.path.dirname(ansible_mitogen.__file__))')/plugins/strategy
mkdir -p "$logs/bin"
# Molecule asks for the version before each of its seven steps, and only to see that there is an answer: half a second each.
for program in ansible ansible-playbook; do
  "$bin/$program" --version >"$logs/bin/$program.version"
  # shellcheck disable=SC2016 # the new script expands it
  printf '#!/bin/sh\n[ "$*" != --version ] || exec cat "$0.version"\nexec "%s" "$@"\n' "$bin/$program" >"$logs/bin/$program"
  chmod +x "$logs/bin/$program"
done
export logs limit_s by_ansible PATH="$PWD/$logs/bin:$bin:$PATH" NO_COLOR=1 PY_COLORS=0 ANSIBLE_STRATEGY_PLUGINS=$strategies
# With the first, each process that Ansible forks compiles our filters again; with the second, Python reads a module byte by byte.
unset PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED
code=0
others=()
for name in "${scenarios[@]}"; do
  if [ "$name" = "$alone" ]; then (run_one "$name") || code=$?; else others+=("$name"); fi
done
printf '%s\n' "${others[@]}" | xargs -r -P "$at_once" -I {} bash -c 'run_one {}' || code=$?
failed=$(for name in "${scenarios[@]}"; do grep -qE "^$name .*failed=0" "$logs/$name.log" || echo "$name"; done)
count=$(wc -w <<<"$failed")
# What scenarios measured.
for name in "${scenarios[@]}"; do sed -n "s/^.*FIGURE \(.*\)$/$name: \1/p" "$logs/$name.log"; done
echo "roles: $((${#scenarios[@]} - count)) passed, $count failed"
# Once more and last, for a reader who has only the end of a long output: what the hosts failed in that did not get to the end
# of the part that failed (others may have been meant to fail), and how that part ended.
for name in $failed; do
  echo "$name failed in:"
  awk -v end="[[]$name > .*[]].*Executed: Failed" '
    /[]] Executing$/ {part = ""}
    {part = part $0 "\n"}
    $0 ~ end && failed == "" {failed = part}
    END {printf "%s", failed == "" ? part : failed}' "$logs/$name.log" >"$logs/$name.failed"
  awk '/^(TASK \[|PLAY RECAP)/ {for (host in bad) last[host] = block; delete bad; block = ""}
       {block = block $0 "\n"}
       /^(fatal|failed): / {host = $2; gsub(/\[|\]|:/, "", host); bad[host] = 1}
       / (unreachable|failed)=[1-9]/ && $1 in last {printf "%s", last[$1]}' "$logs/$name.failed" | cut -c1-160 | tail -n 25
  echo "$name ended with:"
  tail -n 6 "$logs/$name.failed" | cut -c1-160
done
[ "$code" -eq 0 ] && [ "$count" -eq 0 ]
