#!/usr/bin/env bash
# What a shop does that has only a JDK 17 and a server elsewhere: gets the libraries by each way of docs/java.md, builds
# the README's program in Java with them by the page's own texts, and has it answered:
#
#   shop.sh <checkout> <jdk17> <archive> <new folder>
#
# The archive is nereid-<version>-maven.zip of a release. Maven is that of the checkout, 3.8.7 of Maven Central, and
# /usr/share/maven if there is one; GRADLE is a command, by default gradle if there is one. Each begins with an empty local
# repository. Prints a line for each way with its time, downloads included; logs are in the folder.
set -euo pipefail
checkout=$1 jdk=$2 archive=$(readlink -f "$3")
mkdir -p "$4"
cd "$4"
folder=$PWD

# The block of the language $2 of the page $1 that contains $3.
block() {
  awk -v fence="\`\`\`$2" -v words="$3" '
    $0 == fence { text = ""; inside = 1; next }
    /^```$/ { if (inside && index(text, words)) { found = 1; exit } inside = 0 }
    { text = text $0 "\n" }
    END { printf "%s", found ? text : ""; exit !found }' "$checkout/$1" ||
    { echo "shop: $1 has no $2 with '$3'" >&2; return 1; }
}

# Only what a machine with a JDK 17 has, for a user who is new to it: Java asks the system for the home directory.
as_shop() {
  env -i HOME="$folder/home" JAVA_TOOL_OPTIONS="-Duser.home=$folder/home" LANG=C.UTF-8 JAVA_HOME="$jdk" \
    PATH="$jdk/bin:/usr/bin:/bin" NEREID_JVMS="$folder/none" "$@"
}

# Runs the command $2... in a log, and prints $1 with its time.
timed() {
  local what=$1 began=$(date +%s%N) log
  log=$folder/$(tr ' /' '--' <<<"$what").log
  shift
  ("$@") >"$log" 2>&1 </dev/null & # where the first command that fails is the last
  if ! wait $!; then
    tail -40 "$log" >&2
    echo "shop: $what failed; see $log" >&2
    exit 1
  fi
  printf 'shop: %-60s %6.1f s\n' "$what" "$((($(date +%s%N) - began) / 100000000))e-1"
}

# Writes First.java and pom.xml into the folder $1, for libraries of the version $2 in the repository $3, a URL, if any.
project() {
  mkdir -p "$1/src/main/java"
  block README.md java 'class First' |
    sed "s/localhost:8000/127.0.0.1:$http/; s/localhost:8001/127.0.0.1:$grpc/" >"$1/src/main/java/First.java"
  block docs/java.md xml '<project ' | sed "s/0\.1\.0-SNAPSHOT/$2/" >"$1/pom.xml"
  if [ -n "${3:-}" ]; then
    block docs/java.md xml '<repositories>' | sed "s#file:///srv/maven#$3#" >"$1/repositories"
    sed -i "/<\/properties>/r $1/repositories" "$1/pom.xml"
  fi
}

# Builds the project in the folder $1 by the Maven $2 with a local repository of its own, or $3, and runs its program.
by_maven() {
  cd "$1"
  as_shop "$2" -B -ntp -f pom.xml -Dmaven.repo.local="${3:-$folder/local-of-$1}" package dependency:copy-dependencies
  answers -cp 'target/classes:target/dependency/*'
}

by_gradle() {
  cd "$1"
  as_shop "${GRADLE:-gradle}" --no-daemon copyLibraries
  answers -cp 'build/classes/java/main:build/libraries/*'
}

as_modules() {
  cd "$1"
  as_shop java -p target/dependency --validate-modules
  answers -p target/dependency --add-modules ALL-MODULE-PATH -cp target/classes
}

answers() {
  local answer
  answer=$(as_shop java "$@" First)
  echo "$answer"
  [ "$answer" = '32, 32' ]
}

"$checkout/nereid" --model-repository="$checkout/examples/models" --http-address 127.0.0.1 --http-port 0 \
  --grpc-address 127.0.0.1 --grpc-port 0 --metrics-address 127.0.0.1 --metrics-port 0 >serve.log 2>&1 &
server=$!
uploads=
trap 'kill $server $uploads 2>/dev/null || true' EXIT

port() {
  local port=
  until port=$(sed -n "s/.*Started $1 at 127\.0\.0\.1:\([0-9]*\).*/\1/p" serve.log) && [ -n "$port" ]; do
    kill -0 $server || { tail -30 serve.log >&2; exit 1; }
    sleep 0.2
  done
  echo "$port"
}
http=$(port HTTPService)
grpc=$(port GRPCInferenceService)
mkdir -p clone home/.m2 none maven uploaded
clone_version=$(sed -n 's:^  <version>\(.*\)</version>$:\1:p' "$checkout/pom.xml" | head -1)

# A clone, and nothing but its client.
git -C "$checkout" archive HEAD | tar -x -C clone
timed 'install --client' as_shop clone/nereid install --client -Dmaven.repo.local="$folder/installed"
project of-clone "$clone_version"
timed 'what is installed, by Maven' by_maven of-clone "$checkout/mvnw" "$folder/installed"
timed 'the same on the module path' as_modules of-clone

# The archive, as a folder.
(cd maven && "$jdk/bin/jar" -xf "$archive")
version=$(sed 's/.*nereid-\(.*\)-maven\.zip$/\1/' <<<"$archive")
"$checkout/mvnw" -B -q -N -f "$checkout/pom.xml" dependency:copy -DoutputDirectory="$folder" \
  -Dartifact=org.apache.maven:apache-maven:3.8.7:zip:bin
"$jdk/bin/jar" -xf apache-maven-3.8.7-bin.zip
chmod +x apache-maven-3.8.7/bin/mvn
project by-maven-3.9 "$version" "file://$folder/maven"
timed 'the archive, by Maven 3.9' by_maven by-maven-3.9 "$checkout/mvnw"
project by-maven-3.8 "$version" "file://$folder/maven"
timed 'the archive, by Maven 3.8.7' by_maven by-maven-3.8 "$folder/apache-maven-3.8.7/bin/mvn"
if [ -x /usr/share/maven/bin/mvn ]; then
  project by-own-maven "$version" "file://$folder/maven"
  timed "the archive, by this machine's Maven" by_maven by-own-maven /usr/share/maven/bin/mvn
fi
if type -P "${GRADLE:-gradle}" >/dev/null; then
  project by-gradle "$version"
  block docs/java.md groovy plugins | sed "s/0\.1\.0-SNAPSHOT/$version/; s#file:///srv/maven#file://$folder/maven#" >by-gradle/build.gradle
  echo "task copyLibraries(type: Copy, dependsOn: classes) { from configurations.runtimeClasspath; into 'build/libraries' }" \
    >>by-gradle/build.gradle
  timed 'the archive, by Gradle' by_gradle by-gradle
else
  echo "shop: there is no gradle"
fi

# A server of the shop's own, to which a release's files and a clone's are sent.
printf 'machine 127.0.0.1 login shop password secret\n' >home/.netrc
printf '<settings><servers><server><id>nexus</id><username>shop</username><password>secret</password></server></servers></settings>' \
  >home/.m2/settings.xml
"$jdk/bin/java" "$checkout/server-nima/src/test/scripts/shop/Uploads.java" uploaded >uploads.port &
uploads=$!
until [ -s uploads.port ]; do
  kill -0 $uploads
  sleep 0.2
done
url=http://127.0.0.1:$(cat uploads.port)
block docs/java.md sh 'curl -' | sed "s#https://nexus.example.com/repository/maven-releases#$url#" >send
block docs/java.md sh 'deploy:deploy' |
  sed "s#https://nexus.example.com/repository/maven-snapshots#$url#; s#install#& --client -Dmaven.repo.local='$folder/installed'#" >deploy
timed 'files sent by curl' as_shop env -C maven bash -euo pipefail ../send
project of-release "$version" "$url"
timed 'what was sent, by Maven' by_maven of-release "$checkout/mvnw"
timed "a clone's client sent" as_shop env -C clone bash -euo pipefail ../deploy
project of-snapshot "$clone_version" "$url"
timed 'what was sent of the clone, by Maven' by_maven of-snapshot "$checkout/mvnw"
