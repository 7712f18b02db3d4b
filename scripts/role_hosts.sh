#!/usr/bin/env bash
# role_hosts.sh start|stop|status: what Molecule scenarios run on: a docker daemon and the image of a small Debian host.
#   start   make sure that both are there; prints the two `export` lines that molecule needs (eval them)
#   status  says `running` or `none`
#   stop    end the daemon, if it is the one that start began
# GPUFABRIC_ROLE_SUITE: Debian's release of the host, bookworm or trixie (default: bookworm).
# A daemon that answers already (DOCKER_HOST, or the system's) is used and never ended. Otherwise one is started with its
# own data, socket and no network of its own: no iptables rule and no bridge of the machine is touched.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gpufabric/role-hosts
ours=unix://$cache/docker.sock
suite=${GPUFABRIC_ROLE_SUITE:-bookworm}
wait_s=60

fail() {
  echo "role_hosts.sh: $1" >&2
  exit 1
}

# Install a program's Debian packages where that was allowed (.ci/run does), else say how to: docker.io brings a service that is enabled.
need() {
  local program=$1
  shift
  command -v "$program" >/dev/null && return
  [ "${GPUFABRIC_MAY_INSTALL:-}" = 1 ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null ||
    fail "$program is missing. Install it: sudo apt-get install $* (or, as root, have it installed here: GPUFABRIC_MAY_INSTALL=1)"
  echo "installing $*" >&2
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2 </dev/null
}

daemon_answers() { DOCKER_HOST=$1 timeout 10 docker version >/dev/null 2>&1; }

# Set DOCKER_HOST to a daemon that answers: the one named, the machine's own, ours.
find_daemon() {
  local socket
  for socket in "${DOCKER_HOST:-}" unix:///var/run/docker.sock "$ours"; do
    if [ -n "$socket" ] && daemon_answers "$socket"; then
      DOCKER_HOST=$socket
      return
    fi
  done
  return 1
}

start_daemon() {
  find_daemon && return
  DOCKER_HOST=$ours
  [ "$(id -u)" -eq 0 ] || fail "no docker daemon answers. Start it (sudo systemctl start docker) or run this as root."
  need dockerd docker.io
  (
    # The daemon outlives its caller: no lock and no pipe of the caller may stay open in it.
    for descriptor in "/proc/$BASHPID/fd"/*; do
      descriptor=${descriptor##*/}
      if [ "$descriptor" -gt 2 ]; then eval "exec $descriptor>&-"; fi
    done
    # setsid: Ctrl-C in the terminal must not end the daemon before the containers are gone.
    exec setsid dockerd --host "$DOCKER_HOST" --data-root "$cache/data" --exec-root "$cache/exec" --pidfile "$cache/docker.pid" \
      --bridge none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false >"$cache/docker.log" 2>&1 </dev/null
  ) &
  for _ in $(seq $wait_s); do
    daemon_answers "$DOCKER_HOST" && return
    sleep 1
  done
  tail -n 20 "$cache/docker.log" >&2
  fail "dockerd did not answer within $wait_s s; the end of its log stands above"
}

build_image() {
  local recipe archive
  recipe=$(cat "$here"/molecule/shared/image/* | sha256sum | cut -c1-12)
  GPUFABRIC_ROLE_IMAGE=gpufabric-role-test:$suite-$recipe
  docker image inspect "$GPUFABRIC_ROLE_IMAGE" >/dev/null 2>&1 && return
  archive=$cache/role-test-$suite-$recipe.tar
  if [ ! -s "$archive" ]; then
    need mmdebstrap mmdebstrap debian-archive-keyring
    echo "building $GPUFABRIC_ROLE_IMAGE (about a minute, once)" >&2
    "$here/molecule/shared/image/build.sh" "$archive" "$suite" >&2
  fi
  docker import "$archive" "$GPUFABRIC_ROLE_IMAGE" >/dev/null
}

case ${1:-} in
  start)
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock --wait 600 9 || fail "another start has been at work for 10 minutes (lock $cache/lock)"
    need docker docker.io
    start_daemon
    export DOCKER_HOST
    build_image
    echo "export DOCKER_HOST=$DOCKER_HOST"
    echo "export GPUFABRIC_ROLE_IMAGE=$GPUFABRIC_ROLE_IMAGE"
    ;;
  status)
    if command -v docker >/dev/null && find_daemon; then echo running; else echo none; fi
    ;;
  stop)
    [ -s "$cache/docker.pid" ] || exit 0
    pid=$(cat "$cache/docker.pid")
    kill "$pid" 2>/dev/null || exit 0
    for _ in $(seq $wait_s); do
      kill -0 "$pid" 2>/dev/null || exit 0
      sleep 1
    done
    fail "the docker daemon (process $pid) did not end within $wait_s s"
    ;;
  *) fail "usage: role_hosts.sh start|stop|status" ;;
esac
