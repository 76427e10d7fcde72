# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder: where we are, how we talk, which compiler we take.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(basename "$0")
script_path=$(realpath "$0")
# shellcheck disable=SC2034  # for the scripts that take paths
caller=$PWD
cd "$root"

# Progress goes to stderr, so that a script's product on stdout stays clean.
step() { printf '\n== %s: %s\n' "$script" "$*" >&2; }
note() { printf '   %s\n' "$*" >&2; }
die() {
    printf '%s: %s\n' "$script" "$*" >&2
    exit 1
}

jobs() { nproc 2>/dev/null || echo 2; }

# The value of key $1 in /etc/os-release; nothing where there is none.
os_release() { sed -n "s/^$1=//p" /etc/os-release 2>/dev/null | tr -d \'\" || true; }

# The first comment of the calling script is its help.
show_help() { sed -n '3,${/^# shellcheck/q;/^#/!q;s/^# \{0,1\}//;p}' "$script_path"; }

# Configures preset $1 (further arguments go to cmake) and builds it.
build_preset() {
    local preset=$1
    shift
    step "configure preset $preset"
    cmake --preset "$preset" "$@" >&2
    step "build preset $preset with $(jobs) jobs"
    cmake --build --preset "$preset" -j "$(jobs)" >&2
}

# C++20 as we write it needs g++ 12 or newer. The distribution's own g++ is taken when it is new enough, else the
# newest versioned one; a compiler that the caller names in CXX is taken as it is.
choose_compiler() {
    [ -z "${CXX:-}" ] || return 0
    local candidate major
    for candidate in g++ g++-15 g++-14 g++-13 g++-12; do
        command -v "$candidate" >/dev/null || continue
        major=$("$candidate" -dumpversion | cut -d. -f1)
        if [ "$major" -ge 12 ]; then
            export CXX=$candidate
            return 0
        fi
    done
    die "no g++ 12 or newer was found: install one, or name a C++20 compiler in CXX"
}

# Open MPI refuses to start as root unless told twice. Tests and the quick start run what this repository built, so
# they say it; 4.x reads the first pair, PRRTE of 5.x also the second.
allow_mpi_as_root() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
}
