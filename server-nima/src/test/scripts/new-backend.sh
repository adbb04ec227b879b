#!/usr/bin/env bash
# Makes a project with new-backend, builds it, tests it by the kit, serves it and sends a request:
# new-backend.sh <nereid> <folder>. MAVEN_ARGS are options of Maven.
set -euo pipefail
nereid=$1
cd "$2"

step() {
  local began=$SECONDS
  "$@" >>log 2>&1 || { tail -30 log >&2; echo "new-backend: failed: $*" >&2; exit 1; }
  printf '%4d s  %s\n' $((SECONDS - began)) "$*"
}

touch log
step "$nereid" new-backend campaign
if "$nereid" new-backend campaign 2>>log; then
  echo "new-backend: a folder was overwritten" >&2
  exit 1
fi
step campaign/mvnw -B -f campaign/pom.xml package -DskipTests
cd campaign && touch ../log && ln -sf ../log log
step ./mvnw -B verify
rm log
./serve --http-address 127.0.0.1 --http-port 0 --grpc-address 127.0.0.1 --grpc-port 0 \
  --metrics-address 127.0.0.1 --metrics-port 0 >../serve.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
port=
for _ in $(seq 100); do
  port=$(sed -n 's/.*[Hh][Tt][Tt][Pp].*127\.0\.0\.1:\([0-9]*\).*/\1/p' ../serve.log | head -1)
  if [ -n "$port" ] && curl -sf "localhost:$port/v2/health/ready"; then
    break
  fi
  sleep 0.2
done
answer=$(curl -sf -d '{"inputs":[{"name":"INPUT","datatype":"FP32","shape":[1,2],"data":[1,2]}]}' \
  "localhost:$port/v2/models/campaign_example/infer")
case $answer in
  *'"data":[2.5,5.0]'*) echo "served: $answer" ;;
  *) echo "new-backend: answered $answer" >&2; exit 1 ;;
esac
