#!/usr/bin/env bash
# Installs the libraries into a new repository, builds the README's program in Java from them on
# JDK 17, and runs it against a server: client-first.sh <checkout> <jdk17> <folder>.
# MAVEN_ARGS are options of Maven.
set -euo pipefail
checkout=$1 jdk=$2
mkdir -p "$3"
cd "$3"

"$checkout/nereid" install -Dmaven.repo.local="$PWD/repository"

mkdir -p src/main/java
awk '/^```java$/ { text = ""; next } /^```$/ { if (text ~ /class First/) printf "%s", text; text = "" } { text = text $0 "\n" }' \
  "$checkout/README.md" >src/main/java/First.java
awk '/^```xml$/ { text = ""; next } /^```$/ { if (text ~ /<project/) printf "%s", text; text = "" } { text = text $0 "\n" }' \
  "$checkout/docs/java.md" >pom.xml

"$checkout/nereid" --model-repository="$checkout/examples/models" --http-address 127.0.0.1 --http-port 0 \
  --grpc-address 127.0.0.1 --grpc-port 0 --metrics-address 127.0.0.1 --metrics-port 0 >serve.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT

port() {
  local port=
  until port=$(sed -n "s/.*Started $1 at 127\.0\.0\.1:\([0-9]*\).*/\1/p" serve.log) && [ -n "$port" ]; do
    kill -0 $server || { tail -30 serve.log >&2; exit 1; }
    sleep 0.2
  done
  echo "$port"
}
sed -i.bak "s/localhost:8000/127.0.0.1:$(port HTTPService)/; s/localhost:8001/127.0.0.1:$(port GRPCInferenceService)/" \
  src/main/java/First.java

export JAVA_HOME=$jdk
"$checkout/mvnw" -B -q -f pom.xml -Dmaven.repo.local="$PWD/repository" compile dependency:copy-dependencies
answer=$("$jdk/bin/java" -cp 'target/classes:target/dependency/*' First)
if [ "$answer" != "32, 32" ]; then
  echo "client-first: the program printed '$answer', not '32, 32'" >&2
  exit 1
fi
echo "client-first: $("$jdk/bin/java" --version | head -1) printed $answer"
