#!/usr/bin/env bash
# Libraries for OpenAI's embeddings and for rerankers, unchanged, pointed at a server: a table of their calls. Exits with 1 if one
# fails.
#
#   text-clients.sh <distribution> <folder>
#
# The models are stand-ins in Java, of which each outcome is known. MVNW is the command of Maven; PYTHON that of Python 3.10 or
# later; without Node, its rows are left out. Downloads the libraries from PyPI, npm and Maven Central.
set -euo pipefail

dist=$1 folder=$2
here=$(cd "$(dirname "$0")/text-clients" && pwd -P)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT

# A model: its name, task and output, and more lines of its configuration.
model() {
  mkdir -p "$folder/models/$1/1"
  cp "$here/Text.java" "$folder/models/$1/1/"
  cat >"$folder/models/$1/config.pbtxt" <<END
backend: "java"
max_batch_size: 2048
input { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "TOKENS" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "$3" data_type: TYPE_FP32 dims: [ -1 ] }
parameters { key: "task" value { string_value: "$2" } }
$4
END
}

rm -rf "$folder/models"
model minilm embedding EMBEDDING ''
model ranker rerank SCORE 'input { name: "QUERY" data_type: TYPE_STRING dims: [ 1 ] }'

[ -x "$folder/python/bin/python" ] || "${PYTHON:-python3}" -m venv "$folder/python"
"$folder/python/bin/python" -m pip install -q -r "$here/requirements.txt"
if command -v npm >/dev/null; then
  mkdir -p "$folder/node"
  cp "$here/package.json" "$here/clients.mjs" "$folder/node/"
  npm install --silent --prefix "$folder/node"
fi
mkdir -p "$folder/java"
cp -r "$here/java/." "$folder/java/"
${MVNW:-mvn} -q -B -f "$folder/java/pom.xml" compile dependency:build-classpath -Dmdep.outputFile="$folder/java/classpath"

"$dist/bin/nereid" serve --model-repository="$folder/models" --backend-config=java,allow=true --text-api=true \
  --http-address=127.0.0.1 --http-port=0 --allow-grpc=false --allow-metrics=false >"$folder/server.log" 2>&1 &
server=$!
port=
for _ in $(seq 600); do
  port=$(sed -n 's/.*Started HTTPService at 127.0.0.1:\([0-9]*\).*/\1/p' "$folder/server.log")
  [ -z "$port" ] || ! curl -sf -o /dev/null "http://127.0.0.1:$port/v2/health/ready" || break
  kill -0 "$server" || { tail -30 "$folder/server.log" >&2; exit 1; }
  sleep 0.1
done

# shellcheck source-path=SCRIPTDIR source=../../main/dist/bin/jdk25.sh
. "$dist/bin/jdk25.sh"
use_jdk java
failed=0
address=http://127.0.0.1:$port
echo '| library | call | outcome |'
echo '| --- | --- | --- |'
"$folder/python/bin/python" "$here/clients.py" "$address" || failed=1
[ ! -d "$folder/node" ] || node "$folder/node/clients.mjs" "$address" || failed=1
"$JAVA_HOME/bin/java" -cp "$folder/java/target/classes:$(cat "$folder/java/classpath")" Clients "$address" || failed=1
exit "$failed"
