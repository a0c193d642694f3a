#!/usr/bin/env bash
# Instructions per successful unary call, and per message of a bidi stream, on
# each channel, by callgrind: client and server together, in one process. They
# repeat to within a per cent, whatever else the machine is doing.
#
#   tests/benchmarks/instructions.sh [channel.style ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v valgrind >/dev/null; then
  echo "instructions.sh needs valgrind: sudo apt-get install valgrind" >&2
  exit 1
fi
bazel build -c opt //tests/benchmarks:overhead 2>/dev/null ||
  bazel build -c opt //tests/benchmarks:overhead
binary=$(bazel info -c opt bazel-bin 2>/dev/null)/tests/benchmarks/overhead

few=200 many=1200  # The difference leaves out what it costs to start.

count() {  # channel.style, calls
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" \
    --only="$1" --calls="$2" 2>&1 | sed -n 's/.*Collected : //p'
}

if [ $# -eq 0 ]; then
  set -- {plain,interceptor,core_retry,take_over,forbear}.{sync,callback,cq,stream}
fi
for which in "$@"; do
  printf '%-22s %8d\n' "$which" \
    $((($(count "$which" $many) - $(count "$which" $few)) / (many - few)))
done
