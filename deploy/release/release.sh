#!/usr/bin/env bash
# Builds the release of the commit that is checked out, twice, and compares the bytes:
# deploy/release/release.sh [version]. Leaves in target/release:
#   repository/             what Maven Central gets, as a Maven repository
#   nereid-<version>-maven.zip
#                           the same as one file, which a shop unpacks or uploads
#   nereid-<version>.tar.gz, nereid-<part>-<version>.tar.gz
#                           the distribution, and its optional parts
#   nereid-tck.jar          the kit's command, alone
#   *-sbom.json, *-THIRD-PARTY.txt
#                           what is in each of these, and under which licences
#   SHA256SUMS              of all of them
# Changes no local Maven repository. Options of Maven: MAVEN_ARGS.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=../../server-nima/src/main/dist/bin/jdk25.sh
. "$root/server-nima/src/main/dist/bin/jdk25.sh"
use_jdk javac

umask 022 # Maven's archives have the rights of its files
out=$root/target/release
snapshot=$(sed -n 's:^  <version>\(.*\)</version>$:\1:p' "$root/pom.xml" | head -1)
version=${1:-${snapshot%-SNAPSHOT}}
time=$(sed -n 's:.*<project.build.outputTimestamp>\(.*\)</.*:\1:p' "$root/pom.xml")

if [ -n "$(git -C "$root" status --porcelain)" ]; then
  echo "release: what is not committed is not part of it:" >&2
  git -C "$root" status --short >&2
fi

# Builds in the folder $1 into the folder $1.files.
build() {
  local folder=$1 files=$1.files module name
  mkdir -p "$folder"
  git -C "$root" archive HEAD | tar -x -C "$folder"
  find "$folder" -name pom.xml -exec sed -i "s:<version>$snapshot</version>:<version>$version</version>:" {} +
  if ! (cd "$folder" && MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}" ./mvnw -B -ntp deploy \
    -Partifacts,release -pl '!benchmarks' -Ddistribution.only -Dmaven.test.skip=true \
    -Ddistribution.aot.skip=true -Dmaven.install.skip=true --threads 2 \
    -DaltDeploymentRepository="staging::file:$files/repository") >"$folder.log" 2>&1; then
    tail -40 "$folder.log" >&2
    echo "release: the build failed; see $folder.log" >&2
    return 1
  fi
  find "$files/repository" -name 'maven-metadata.xml*' -delete # of each deployment, with its time
  (
    cd "$files/repository"
    find io -type f | LC_ALL=C sort >"$folder.list"
    "$JAVA_HOME/bin/jar" --create --no-manifest --date="$time" --file="$files/nereid-$version-maven.zip" "@$folder.list"
  )
  while read -r module name; do
    cp "$folder/$module/target/$name-$version.tar.gz" "$files/"
    cp "$folder/$module/target/third-party/sbom.json" "$files/$name-$version-sbom.json"
    cp "$folder/$module/target/third-party/THIRD-PARTY.txt" "$files/$name-$version-THIRD-PARTY.txt"
  done <<'LIST'
server-nima nereid
server-nima/repository-s3 nereid-repository-s3
server-nima/trace-opentelemetry nereid-trace-opentelemetry
LIST
  cp "$folder/tck/command/target/nereid-tck.jar" "$files/"
  (cd "$files" && find . -type f | LC_ALL=C sort | xargs sha256sum) >"$folder.sums"
}

rm -rf "$out"
mkdir -p "$out"
echo "release: building $version of $(git -C "$root" rev-parse --short HEAD), twice"
build "$out/first"
# What may find its way into a file: the folder, the time of day, the time zone, the locale.
(
  export TZ=Pacific/Kiritimati LC_ALL=C
  build "$out/second-of-another-name"
)
if ! diff "$out/first.sums" "$out/second-of-another-name.sums"; then
  echo "release: the two builds differ" >&2
  exit 1
fi
mv "$out"/first.files/* "$out/"
mv "$out/first.sums" "$out/SHA256SUMS"
rm -rf "$out/first" "$out/first.files" "$out/first.list" "$out"/second-of-another-name*
"$JAVA_HOME/bin/java" "$root/deploy/release/CheckRelease.java" "$out/repository" "$version"
(cd "$out" && find . -type f ! -name '*.md5' ! -name '*.sha1' ! -name '*.log' -printf '%s %P\n' | LC_ALL=C sort -k 2)
echo "release: both builds have the same bytes: $out"
