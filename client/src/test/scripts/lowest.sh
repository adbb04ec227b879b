#!/bin/bash
# The client with exactly the lowest versions of libraries that docs/java.md states, over REST and gRPC. MVN is the program that builds.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
mvn=${MVN:-./mvnw -B -ntp}
folder=$PWD/server-nima/target/lowest
rm -rf "$folder"
mkdir -p "$folder"
{
  echo '<project><modelVersion>4.0.0</modelVersion><groupId>io.nereid</groupId><artifactId>lowest</artifactId><version>1</version><dependencies>'
  awk -F'|' '/^\| `[a-z.]+:[a-z-]+`.*\| [0-9.]+ \|/ && !/io\.nereid:/ {
    gsub(/ /, "", $3)
    while (match($2, /`[a-z.:-]+`/)) { # a name without a group has that of the one before it
      name = substr($2, RSTART + 1, RLENGTH - 2)
      $2 = substr($2, RSTART + RLENGTH)
      if (split(name, parts, ":") == 2) { group = parts[1]; name = parts[2] }
      printf "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n", group, name, $3
    }
  }' docs/java.md
  echo '</dependencies></project>'
} > "$folder/pom.xml"
$mvn -q -f "$folder/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies -DoutputDirectory="$folder/jars"
ls "$folder/jars"
$mvn test -pl server-nima -am -Dtest='ClientDocumentationTest#theReadmesFirstProgramRunsWithTheLowestVersions' \
  -Dsurefire.failIfNoSpecifiedTests=false -Dspotless.check.skip=true -Dnereid.client.lowest="$folder/jars"
