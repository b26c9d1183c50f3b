#!/usr/bin/env bash
# The script.
set -euo pipefail

NAME="a b"
readonly LIMIT=10
export PATH="$PATH:/x"
declare -a list=(1 2)

# Prints help.
usage() {
  cat <<EOF
usage: $0
not_a_function() { echo; }
EOF
}

function run {
  local x=1
  if [[ $x -eq 1 ]]; then
    nested() { echo nested; }
  fi
  case "$1" in
    a) echo "}" ;;
    *) return 1 ;;
  esac
}

function both() (
  cd /tmp && echo "${NAME:-x}"
)

quiet() { "$@" >/dev/null 2>&1; } # behind

usage; run "$@"
