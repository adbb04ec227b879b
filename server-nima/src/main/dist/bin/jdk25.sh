# shellcheck shell=bash
# Finds the JDK that builds and runs Nereid. For bash 3.2 and newer; sets JAVA_HOME only. Searches
# JAVA_HOME, java on the PATH, and the folders in which systems and tools install JDKs; NEREID_JVMS,
# folders of JDKs separated by colons, replaces the latter.

required_java=25

# Prints the major version of the JDK in the folder $1, if there is one.
java_major() {
  local version= key value
  [ -x "$1/bin/java" ] || return 0
  if [ -r "$1/release" ]; then
    while IFS='=' read -r key value; do
      if [ "$key" = JAVA_VERSION ]; then
        version=${value//\"/}
      fi
    done <"$1/release"
  fi
  if [ -z "$version" ]; then
    version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p')
  fi
  version=${version%%[!0-9]*}
  printf '%s' "$version"
}

# Whether the folder $1 has java, and javac if $2 is "javac".
is_jdk() {
  local major
  major=$(java_major "$1")
  [ -n "$major" ] && [ "$major" -ge "$required_java" ] &&
    { [ "$2" != javac ] || [ -x "$1/bin/javac" ]; }
}

# Prints the home of the java on the PATH. A version manager's script is run to find out.
java_home_of_path() {
  local java link
  java=$(type -P java) || return 0
  while link=$(readlink "$java"); do
    case $link in
      /*) java=$link ;;
      *) java=${java%/*}/$link ;;
    esac
  done
  if [ -r "${java%/*}/../release" ]; then
    (cd "${java%/*}/.." && pwd -P)
  else
    "$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p'
  fi
}

# Prints the folders that may be JDKs besides JAVA_HOME, one per line, in the order of the search.
jdk_candidates() {
  local folder
  java_home_of_path
  if [ -n "${NEREID_JVMS:-}" ]; then
    printf '%s\n' "$NEREID_JVMS" | tr ':' '\n' | while IFS= read -r folder; do
      printf '%s\n' "$folder"/*
    done
    return
  fi
  printf '%s\n' \
    /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec \
    "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* \
    "${HOME:-}"/.jdks/*
}

# Sets and exports JAVA_HOME; without a JDK, prints in one line what to install and fails. $1 is
# "javac" if a compiler is needed.
use_jdk() {
  local folder
  if [ -n "${JAVA_HOME:-}" ] && is_jdk "$JAVA_HOME" "${1:-java}"; then
    export JAVA_HOME
    return 0
  fi
  while IFS= read -r folder; do
    if is_jdk "$folder" "${1:-java}"; then
      export JAVA_HOME=$folder
      return 0
    fi
  done < <(jdk_candidates)
  echo "nereid: needs a JDK $required_java or newer and found none: install one (for example Eclipse Temurin $required_java, https://adoptium.net) or set JAVA_HOME" >&2
  return 1
}
