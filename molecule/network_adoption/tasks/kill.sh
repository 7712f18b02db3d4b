#!/usr/bin/env bash
# kill.sh HOST PLAYBOOK: run it on a container, and end it and what it started there once a rail has its name.
set -uo pipefail
host=$1
setsid env -u ANSIBLE_STRATEGY ansible-playbook -i "$host," -c docker "$2" >"/tmp/$host.killed.log" 2>&1 </dev/null &
run=$!
for _ in $(seq 600); do
  if docker exec "$host" test -e /sys/class/net/rail0; then
    kill -KILL -- "-$run"
    docker exec "$host" sh -c 'for each in /proc/[0-9]*; do
      case "$(tr "\0" " " <"$each/cmdline" 2>/dev/null)" in *python3*) kill -KILL "${each#/proc/}";; esac
    done'
    docker exec "$host" sh -c 'ip -br link show | cut -d " " -f 1 | paste -sd " "; ls /var/lib/gpufabric/take-back/rails/bring-back'
    exit 0
  fi
  kill -0 "$run" 2>/dev/null || break
  sleep 0.05
done
cat "/tmp/$host.killed.log"
echo "it ended by itself"
exit 1
