#!/usr/bin/env bash
# The client's calls of the standard's own part to MLServer and to KServe's server in Python, as tables:
# client-others.sh <checkout> <folder>. MLSERVER is the command of the one, KSERVE the Python of an environment with the
# other; without one of them it is left out. TEST is the command that runs the test with an option.
set -euo pipefail
checkout=$1 folder=$2
here=$checkout/server-nima/src/test/scripts/client-others
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until the server is ready, prints the table, and stops it.
table() {
  for _ in $(seq 300); do
    curl -sf -o /dev/null "http://127.0.0.1:$http/v2/models/identity_fp16/ready" && break
    kill -0 "$server" || { tail -30 "$folder/$1.log" >&2; exit 1; }
    sleep 0.2
  done
  echo "$1:"
  ${TEST:-"$checkout/mvnw" -q -B -f "$checkout/pom.xml" test -pl server-nima -am -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ClientStandardTest} \
    "-Dnereid.client.other=http://127.0.0.1:$http,grpc://127.0.0.1:$grpc"
  kill "$server"
  wait "$server" || true
  server=
}

mkdir -p "$folder"
if [ -n "${MLSERVER:-}" ]; then
  http=$(free_port) grpc=$(free_port) metrics=$(free_port)
  mkdir -p "$folder/mlserver"
  cp "$here/mlserver_identity.py" "$folder/mlserver/"
  printf '{"host":"127.0.0.1","http_port":%d,"grpc_port":%d,"metrics_port":%d,"parallel_workers":0}' \
    "$http" "$grpc" "$metrics" >"$folder/mlserver/settings.json"
  for type in FP32 INT64 BYTES FP16; do
    model=$folder/mlserver/identity_${type,,}
    mkdir -p "$model"
    printf '{"name":"identity_%s","implementation":"mlserver_identity.Identity",
      "inputs":[{"name":"INPUT0","datatype":"%s","shape":[-1]}],"outputs":[{"name":"OUTPUT0","datatype":"%s","shape":[-1]}]}' \
      "${type,,}" "$type" "$type" >"$model/model-settings.json"
  done
  (cd "$folder/mlserver" && PYTHONPATH=$PWD exec "$MLSERVER" start .) >"$folder/mlserver.log" 2>&1 &
  server=$!
  table mlserver
fi
if [ -n "${KSERVE:-}" ]; then
  http=$(free_port) grpc=$(free_port)
  "$KSERVE" "$here/kserve_identity.py" --http_port="$http" --grpc_port="$grpc" >"$folder/kserve.log" 2>&1 &
  server=$!
  table kserve
fi
