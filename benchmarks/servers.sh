# To be sourced by benchmarks that compare servers, with their arguments: <rounds> and options of the load
# generator. SERVE and LOAD name other commands than ./nereid serve and benchmarks/run load, MODELS another
# repository than examples/models, all of whose models are loaded.
# shellcheck shell=bash disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
rounds=${1:-3}
shift || true
options=("$@")
read -ra serve <<<"${SERVE:-$root/nereid serve}"
read -ra load <<<"${LOAD:-$root/benchmarks/run load}"

repository=$root/examples/models
loaded=(--load-model simple --load-model identity_fp32)
if [ -n "${MODELS:-}" ]; then
  repository=$MODELS
  loaded=(--load-model '*')
fi

# A folder for files, and the processes of the servers in the order of their starts; both end with the script.
files=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$files"' EXIT

# Starts a server of the models whose ports begin with $1, with the other options.
start() {
  local port=$1
  shift
  "${serve[@]}" --model-repository "$repository" --http-port "${port}0" \
    --grpc-port "${port}1" --metrics-port "${port}2" --model-control-mode explicit \
    "${loaded[@]}" "$@" >"$files/$port.log" 2>&1 &
  pids+=($!)
  for _ in $(seq 600); do
    grep -q 'Started Metrics Service' "$files/$port.log" && return
    kill -0 $! 2>/dev/null || break
    sleep 0.2
  done
  cat "$files/$port.log" >&2
  exit 1
}
