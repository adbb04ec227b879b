#!/usr/bin/env bash
# Installs the libraries into a new repository, then builds the applications of examples/ with them, and
# runs their tests: examples.sh <checkout> <folder> [example...]. An example may end in :<profile>.
# Downloads what they need. MAVEN_ARGS are options of Maven.
set -euo pipefail
checkout=$1 folder=$2
shift 2
# shellcheck source=../../main/dist/bin/jdk25.sh
. "$checkout/server-nima/src/main/dist/bin/jdk25.sh"
use_jdk javac

"$checkout/nereid" install -Dmaven.repo.local="$folder/repository"
mkdir -p "$folder/examples"
cp -R "$checkout"/examples/models "$folder/examples/"

[ $# -gt 0 ] || set -- spring-boot spring-boot:boot3 quarkus langchain4j spring-ai
for example; do
  name=${example%:*} profile=${example#"$name"}
  rm -rf "$folder/examples/$name"
  cp -R "$checkout/examples/$name" "$folder/examples/"
  began=$SECONDS
  if ! (cd "$folder/examples/$name" && "$checkout/mvnw" -B -ntp -f pom.xml ${profile:+-P${profile#:}} \
    -Dmaven.repo.local="$folder/repository" clean verify) >"$folder/$example.log" 2>&1; then
    tail -60 "$folder/$example.log" >&2
    echo "examples: $example failed; see $folder/$example.log" >&2
    exit 1
  fi
  grep -E 'Tests run:|^cosine' "$folder/$example.log" | tail -20
  echo "examples: $example is built, and its tests succeeded, in $((SECONDS - began)) s"
done
