#!/usr/bin/env bash
# demo.sh NORNIR: the main job on the built-in lab, as an operator would do it.
# HOSTS says how many GPU hosts are brought up as machines at the end: 1 unless said otherwise, 0 leaves them out.
# PACKETS=all: packets between hosts of all planes, not of storage and business alone, which takes longer.
set -euo pipefail
nornir=$1
bin=$(cd "$(dirname "$nornir")" && pwd)
hosts=${HOSTS:-1}
steps=()
began=$SECONDS
say() {
  [ ${#steps[@]} -eq 0 ] || steps[-1]+=": $((SECONDS - began)) s"
  began=$SECONDS
  steps+=("$(head -n 1 <<<"$1" | cut -d : -f 1 | cut -c 1-100)")
  printf '\n== %s\n' "$1"
}

# Steps that need nothing of one another run side by side: what they print is shown in its place.
scratch=$(mktemp -d)
declare -A running=()
begin() { # NAME COMMAND...
  local name=$1
  shift
  set -m # a process group of its own, so that what it has started ends with it
  "$@" >"$scratch/$name" 2>&1 </dev/null &
  set +m
  running[$name]=$!
}
finish() { # NAME: its output, and the end of the demo where it failed
  local code=0
  wait "${running[$1]}" || code=$?
  unset "running[$1]"
  cat "$scratch/$1"
  [ $code -eq 0 ] || exit $code
}
end_all() {
  local group
  for group in "${running[@]}"; do kill -- "-$group" 2>/dev/null || true; done
  wait
  rm -rf "$scratch"
}
trap end_all EXIT

# What parts need is asked first, so that it is not learned after the rest. What cannot be done is left out, and said.
left_out=()
if [ "$hosts" -gt 0 ]; then
  without=
  if [ "$(id -u)" -eq 0 ]; then
    scripts/machine_packages.sh
  elif without=$(scripts/machine_packages.sh 2>&1); then
    without="lab machines need root for their network namespace: sudo make demo"
  fi
  if [ -n "$without" ]; then
    if [ -n "${HOSTS:-}" ]; then
      echo "$without" >&2
      exit 1
    fi
    hosts=0
    left_out+=("GPU hosts: $without")
  fi
fi
proofs=()
if ! without=$("$bin/python" scripts/can_prove.py 2>&1); then
  proofs=(--without boundary)
  left_out+=("the proof of the boundary: ${without:-scripts/can_prove.py failed}")
fi
tell_left_out() {
  local each
  for each in "${left_out[@]}"; do echo "$1: $each"; done
}
tell_left_out "will be left out"

begin prove "$nornir" prove "${proofs[@]}"
say "1. A fresh lab: rails (two NVUE spines, eight leaves on EOS and NX-OS), for storage and business a front fabric
      (two NVUE spines, a pair of leaves on each of EOS, NX-OS and NVUE), and an out-of-band tree that all of them are
      managed over (two NVUE routers, access switches on EOS and NX-OS), and two NVUE edge routers towards two upstreams,
      each switch with a day-0 configuration"
"$nornir" lab down
"$nornir" lab up
say "2. What the intent asks for"
"$nornir" design
say "3. What its lines do: who reaches whom, and that RDMA is lossless end to end (proved meanwhile)"
finish prove
say "4. Push all planes, and the edge routers"
"$nornir" push --yes
say "5. Push again: nothing may change"
"$nornir" push --yes
say "6. Another team types lines of its own on three of the switches: a VLAN with a number of ours and its gateway, a BGP
      neighbour, a redistribution, a second loopback address. They stand after a push, a rollback and another push"
theirs=(--limit front-leaf-g1-a --limit front-leaf-g2-a --limit front-leaf-g3-a)
"$bin/python" tests/lab/other_team.py type
"$nornir" push --yes
"$bin/python" tests/lab/other_team.py check
"$nornir" rollback --yes "${theirs[@]}"
"$bin/python" tests/lab/other_team.py check
"$nornir" push --yes
"$bin/python" tests/lab/other_team.py check
say "7. Is the live network as the intent defines?"
"$nornir" validate
say "8. Each plane by itself"
planes=(compute storage business oob boundary)
for plane in "${planes[@]}"; do begin "$plane" "$nornir" validate --plane "$plane"; done
for plane in "${planes[@]}"; do
  echo "-- $plane"
  finish "$plane"
done
say "9. Traffic: all hosts send to all on their rails, and nothing is dropped. Then one NIC takes nothing in: who is it?"
"$nornir" lab play all-to-all
"$nornir" validate --plane compute --soak 5s
"$nornir" lab impair pause-storm gpu-1:rail0
found=$("$nornir" validate --plane compute --soak 5s 2>&1) || true
echo "$found"
case $found in *"host gpu-1 takes nothing in"*) ;; *) echo "the demo: gpu-1 should have been named" >&2; exit 1 ;; esac
"$nornir" lab mend gpu-1:rail0
"$nornir" lab play none
if [ "$hosts" -gt 0 ]; then
  sending="storage and business" whole_way=()
  if [ "${PACKETS:-}" = all ]; then
    sending="every plane" whole_way=(--all)
  fi
  packets() {
    "$bin/python" tests/lab/show_whole_way.py "${whole_way[@]}" || return
    [ ${#proofs[@]} -gt 0 ] || "$nornir" prove --only boundary --packets
  }
  # Mitogen runs the same tasks in a fraction of the time where a machine is emulated; plain Ansible works as well.
  if strategies=$("$bin/python" -c 'import ansible_mitogen, os; print(os.path.dirname(ansible_mitogen.__file__))' 2>/dev/null); then
    export ANSIBLE_STRATEGY=mitogen_linear ANSIBLE_STRATEGY_PLUGINS=$strategies/plugins/strategy
  fi
  say "10. The other end of the cables: $hosts bare GPU host(s) as machines (the first time a disk image is made)"
  "$nornir" lab up --hosts "$hosts"
  begin packets packets
  # No user works on the lab's machines, so that they may be rebooted; a site says so in its own group_vars.
  say "11. Bring them up from the same intent: ansible-playbook site.yml -e gpufabric_reboot_allowed=true"
  PATH="$bin:$PATH" ansible-playbook site.yml -e gpufabric_reboot_allowed=true
  say "12. Again: nothing may change"
  PATH="$bin:$PATH" ansible-playbook site.yml -e gpufabric_reboot_allowed=true
  say "13. Packets: in a lab of its own, whose switches forward, hosts of $sending reach what they must,
      and nothing else, and so do machines beyond the way out; the firewalls' rules are tried by packets as well
      (sent meanwhile)"
  finish packets
fi
say "The steps and their times"
printf '  %s\n' "${steps[@]:0:${#steps[@]}-1}"
cat <<END

The lab stays up. What to type next:
  $nornir lab cut leaf-g1-r0-u1      break a cable, then: $nornir validate; mend it: $nornir lab mend leaf-g1-r0-u1
  $nornir lab down                   end the lab
  $nornir init mysite                a site of your own (docs/own-site.md)
END
tell_left_out "left out"
