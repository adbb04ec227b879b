#!/usr/bin/env bash
# Lays out what an image has above its base, for the processor of the JDK that JAVA_HOME names:
# deploy/image/layers.sh <new folder> [cpu|tensorrt]. Makes a tree of files for each layer:
#   runtime   /opt/nereid/java: a Java runtime of the modules that the server needs, by jlink; the locale
#             en_US.UTF-8, which ONNX's StringNormalizer asks for, as another name of C.UTF-8
#   server    /opt/nereid: the distribution with its optional parts, and the JVM's options
#   cache     /opt/nereid/nereid.aot: the AOT cache for exactly these
# DISTRIBUTION is a folder with a distribution of a release; without it, one is built. MODULES are modules
# of the JDK that models need besides: java.desktop,java.sql. All files have the time SOURCE_DATE_EPOCH.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=../../server-nima/src/main/dist/bin/jdk25.sh
. "$root/server-nima/src/main/dist/bin/jdk25.sh"
use_jdk javac
umask 022

out=${1:?"usage: layers.sh <new folder> [cpu|tensorrt]"}
variant=${2:-cpu}
# What jdeps finds in the jars of the distribution, and what it cannot see: jdk.compiler and jdk.zipfs compile
# Java models; jdk.jcmd asks a server in a container for its threads, its memory and recordings.
modules=java.base,java.compiler,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml
modules=$modules,jdk.compiler,jdk.jcmd,jdk.jfr,jdk.management,jdk.unsupported,jdk.zipfs${MODULES:+,$MODULES}
# That of all entries in our jars.
epoch=${SOURCE_DATE_EPOCH:-$(date -u +%s -d "$(sed -n 's:.*<project.build.outputTimestamp>\(.*\)</.*:\1:p' "$root/pom.xml")")}

case $variant in
  cpu | tensorrt) ;;
  *) echo "layers.sh: there is no variant '$variant': cpu or tensorrt" >&2; exit 2 ;;
esac
case $(sed -n 's/^OS_\(NAME\|ARCH\)="\(.*\)"/\2/p' "$JAVA_HOME/release" | sort | paste -s -d -) in
  Linux-x86_64) onnx=linux-x64 netty=x86_64 ;;
  Linux-aarch64) onnx=linux-aarch64 netty=aarch_64 ;;
  *) echo "layers.sh: the JDK in $JAVA_HOME is not for Linux on x86_64 or aarch64" >&2; exit 1 ;;
esac
if [ -e "$out" ]; then
  echo "layers.sh: $out is there already" >&2
  exit 1
fi

mkdir -p "$out"
out=$(cd "$out" && pwd -P)
runtime=$out/runtime/opt/nereid/java server=$out/server/opt/nereid cache=$out/cache/opt/nereid
mkdir -p "${runtime%/*}" "$server" "$cache" "$out/runtime/usr/lib/locale"
ln -s C.utf8 "$out/runtime/usr/lib/locale/en_US.utf8"

if [ -n "${DISTRIBUTION:-}" ]; then
  cp -r "$DISTRIBUTION"/. "$server"
else
  (cd "$root" && MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}" ./mvnw -B -ntp package \
    -pl server-nima,server-nima/repository-s3,server-nima/trace-opentelemetry -am -Prelease --threads 2 \
    -Ddistribution.only -Dmaven.test.skip=true -Ddistribution.archive.skip=true -Ddistribution.aot.skip=true)
  cp -r "$root"/server-nima/target/nereid/. "$root"/server-nima/*/target/{repositories,traces} "$server"
fi

# Of native libraries those of this machine; Netty's is unpacked, since it would be at each start.
cd "$server"
find backends/onnxruntime/ai/onnxruntime/native -mindepth 1 -maxdepth 1 ! -name "$onnx" -exec rm -r {} +
find backends/text/native/lib -mindepth 1 -maxdepth 1 -type d ! -name "${onnx/x64/x86_64}" -exec rm -r {} +
rm -f nereid.aot* nereid-server.jar README.md
[ "$variant" = tensorrt ] || rm -r backends/tensorrt
"$JAVA_HOME/bin/jlink" --add-modules "$modules" --no-header-files --no-man-pages --output "$runtime"
(cd "$runtime/lib" && "$JAVA_HOME/bin/jar" -xf "$server"/lib/netty-transport-native-epoll-*-linux-$netty.jar META-INF/native &&
  mv META-INF/native/*.so . && rm -r META-INF)

# The cache keeps the times of the jars, and the JVM compares them.
find "$out" -exec touch -h -d "@$epoch" {} +
JAVA_HOME=$runtime bin/nereid aot
JAVA_HOME=$runtime bin/nereid java-options | sed "s:$out/server::g" >java.options
cat >>java.options <<'OPTIONS'
# less than the 30 s after which Kubernetes kills, by the 10 s that a preStop hook may take
-Dnereid.exit-timeout-secs=20
# nothing is written outside of /dev/shm, and a crash is told on the standard output
-XX:-UsePerfData
-XX:+ErrorFileToStdout
OPTIONS
mv nereid.aot "$cache"
rm -r bin nereid.aot.*
chmod -R a+rX,go-w "$out"
find "$out" -exec touch -h -d "@$epoch" {} +
