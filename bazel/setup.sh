# Sourced by bazel/test, bazel/demo and .ci/run: Debian's packages for a build.
# shellcheck shell=bash

# bazel-rules-cc is not among them: it is too new for this Bazel.
# shellcheck disable=SC2034
BUILD_PACKAGES=(
  bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto bazel-skylib
  g++ python3
  libabsl-dev libbenchmark-dev libgmock-dev libgrpc++-dev libgtest-dev libhiredis-dev libprotobuf-dev
  nlohmann-json3-dev
  protobuf-compiler protobuf-compiler-grpc
)
# What tests start besides.
# shellcheck disable=SC2034
TEST_PACKAGES=(chromium chromium-driver python3-grpcio redis-server)

# Installs those of the named packages that are missing, or says how to.
require_packages() {
  local package missing=() root=()
  for package in "$@"; do
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] ||
      missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      echo "Please run: sudo apt-get install ${missing[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  local install=("${root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install -qq -y --no-install-recommends "${missing[@]}")
  echo "Installing ${missing[*]}" >&2
  "${install[@]}" >/dev/null 2>&1 && return 0
  "${root[@]}" apt-get update -qq && "${install[@]}" >/dev/null
}
