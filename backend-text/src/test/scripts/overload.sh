#!/usr/bin/env bash
# overload.sh <distribution> <folder of a model> <seconds>: a server of the model, and more texts than it can embed
set -euo pipefail

distribution=$1
model=$2
seconds=$3
module=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
log=$(mktemp)
# shellcheck source=server-nima/src/main/dist/bin/jdk25.sh
. "$distribution/bin/jdk25.sh"
use_jdk java

"$distribution/bin/nereid" serve --text-model "$model" --http-port=0 --allow-grpc=false --allow-metrics=false --max-queue-wait=500 >"$log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm "$log"' EXIT
port=
for _ in $(seq 300); do
  port=$(sed -n 's/.*Started HTTPService at [^ ]*:\([0-9]*\).*/\1/p' "$log")
  [ -z "$port" ] || break
  kill -0 $server || { cat "$log"; exit 1; }
  sleep 0.2
done
"$JAVA_HOME/bin/java" -cp "$distribution/lib/*" "$module/src/test/java/io/nereid/text/TextOverload.java" \
  "http://127.0.0.1:$port" "$(basename "$model")" "$seconds"
