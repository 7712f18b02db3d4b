#!/usr/bin/env bash
# containers_converged.sh SITE PORTS_CSV: wait until every BGP session of every FRR container of a site is up.
set -euo pipefail
site=$1
ports=$2
limit_s=120
is_up='import json, sys; peers = json.load(sys.stdin)["peers"]; sys.exit(not all(p["state"] == "Established" for p in peers.values()))'
mapfile -t switches < <(tail -n +2 "$ports" | cut -d, -f1 | sort -u)
for ((waited_s = 0; waited_s < limit_s; waited_s += 2)); do
  down=()
  for switch in "${switches[@]}"; do
    docker exec "clab-$site-$switch" vtysh -c "show bgp ipv4 unicast summary json" 2>/dev/null |
      python3 -c "$is_up" 2>/dev/null || down+=("$switch")
  done
  if [ "${#down[@]}" -eq 0 ]; then
    echo "${#switches[@]} switches, all sessions are up"
    exit 0
  fi
  sleep 2
done
echo "not within $limit_s s: sessions are down on ${down[*]}" >&2
exit 1
