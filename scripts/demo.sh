#!/usr/bin/env bash
# demo.sh NORNIR: the main job on the built-in lab, as an operator would do it.
set -euo pipefail
nornir=$1
say() { printf '\n== %s\n' "$1"; }

say "1. A fresh lab: two NVUE spines, eight leaves (EOS and NX-OS), each with a day-0 configuration"
"$nornir" lab down
"$nornir" lab up
say "2. What the intent asks for"
"$nornir" design
say "3. Push the compute plane"
"$nornir" push --plane compute --yes
say "4. Push it again: nothing may change"
"$nornir" push --plane compute --yes
say "5. Is the live network what was asked for?"
"$nornir" validate
say "The lab stays up. Try: $nornir plan | render --out out | validate --json; end it with: $nornir lab down"
