#!/usr/bin/env bash
# console.sh <distribution> <folder> [<script>]: drives the pages of the console in Chromium, and leaves pictures in the folder; or runs
# another script of the folder console, with MODELS small models.
# Needs Debian's packages chromium and nodejs, and npm's registry.
set -euo pipefail

distribution=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2/models"
folder=$(cd "$2" && pwd)

[ -d "$folder/node_modules/axe-core" ] ||
  npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts playwright-core@1.56.1 axe-core@4.11.0

# The example models, one that fails, names that are hostile, and 1,000 that are small.
rm -rf "$folder/models" && cp -R "$distribution/examples/models" "$folder/models"
cp -R "$here/../../../../examples/java-models/sentences" "$folder/models/"
copy() { # <name> <configuration's additions>
  mkdir -p "$folder/models/$1"
  cp -R "$folder/models/identity_fp32/1" "$folder/models/$1/1"
  grep -v '^name:' "$folder/models/identity_fp32/config.pbtxt" >"$folder/models/$1/config.pbtxt"
  printf '%s\n' "${2:-}" >>"$folder/models/$1/config.pbtxt"
}
copy broken 'dynamic_batching { preferred_batch_size: [ 16 ] }'
copy '<img src=x onerror=alert(1)>'
copy $'\u202eevil'
copy "$(printf 'long%.0s' $(seq 50))"
for i in $(seq "${MODELS:-1000}"); do copy "model$i"; done

"$distribution/bin/nereid" serve --model-repository "$folder/models" --exit-on-error=false --console=true \
  --console-control=true --model-control-mode=explicit --load-model='*' --backend-config=java,allow=true \
  --http-address=127.0.0.1 --http-port=18808 --allow-grpc=false --allow-metrics=false >"$folder/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server || true' EXIT
until curl -sf -o "$folder/live" http://127.0.0.1:18808/v2/health/live; do
  kill -0 $server
  sleep 0.5
done
node --test "$here/console/modules.test.mjs"
cd "$folder" && CONSOLE=http://localhost:18808 SERVER=$server NEREID=$distribution/bin/nereid node "$here/console/${3:-drive.mjs}"
