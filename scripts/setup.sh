#!/usr/bin/env bash
# setup.sh VENV: make the virtual environment with everything, the versions pinned by constraints.txt.
set -euo pipefail
venv=$1
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "gpufabric needs Python 3.11 or newer; '$python' is $("$python" --version). Set PYTHON=/path/to/python3." >&2
  exit 1
}
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "installing python3-venv"
    apt-get update -qq && apt-get install -y -qq python3-venv
  else
    echo "Python's venv is missing. Install it: sudo apt-get install python3-venv" >&2
    exit 1
  fi
fi
echo "making $venv (a few minutes the first time)"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
touch "$venv/.done"
