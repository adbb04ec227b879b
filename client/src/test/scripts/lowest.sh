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
  sed -nE '/io\.nereid:/d; s:^\| `([a-z.]+)\:([a-z-]+)`[^|]*\| ([0-9.]+) \|.*:<dependency><groupId>\1</groupId><artifactId>\2</artifactId><version>\3</version></dependency>:p' docs/java.md
  echo '</dependencies></project>'
} > "$folder/pom.xml"
$mvn -q -f "$folder/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies -DoutputDirectory="$folder/jars"
ls "$folder/jars"
$mvn test -pl server-nima -am -Dtest='ClientDocumentationTest#theReadmesFirstProgramRunsWithTheLowestVersions' \
  -Dsurefire.failIfNoSpecifiedTests=false -Dspotless.check.skip=true -Dnereid.client.lowest="$folder/jars"
