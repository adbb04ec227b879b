#!/usr/bin/env bash
# Does a server start, load an ONNX model and answer, whoever runs it and on whatever file system? Prints a table, and exits with 1
# if a row is not as it should be: the server answers, or says in one sentence what is missing. For root, on Linux:
#
#   server-nima/src/test/scripts/users.sh <distribution> [<jar of ONNX Runtime>]
#
# With the jar, the last rows have it in place of the unpacked library, as a program that embeds the backend. The distribution must
# be readable by all, and not below /tmp, on which rows mount others. Each row runs in a mount namespace of its own.
set -euo pipefail

dist=$(cd "${1:?"usage: users.sh <distribution> [<jar of ONNX Runtime>]"}" && pwd -P)
ort_jar=${2:+$(readlink -f "$2")}
[ "$(id -u)" = 0 ] || { echo "users.sh: only root can run as other users" >&2; exit 2; }
case $dist in /tmp/*) echo "users.sh: $dist is below /tmp" >&2; exit 2 ;; esac
# shellcheck source-path=SCRIPTDIR source=../../main/dist/bin/jdk25.sh
. "$dist/bin/jdk25.sh"
use_jdk java

work=$(mktemp -d -p /var/tmp nereid-users.XXXXXX)
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/models" "$work/home" "$work/readable" "$work/copy/onnxruntime"
cp -r "$dist/examples/models/simple" "$work/models/"
chmod -R a+rX "$work"
chmod 1777 "$work/home"
if [ -n "$ort_jar" ]; then
  cp "$dist"/backends/onnxruntime/nereid-backend-onnx*.jar "$ort_jar" "$work/copy/onnxruntime/"
fi
words='[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]'
request='{"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,16],"data":'$words'},
  {"name":"INPUT1","datatype":"INT32","shape":[1,16],"data":'$words'}]}'
launcher=("$dist/bin/nereid")
options=()
failed=0

# What a server says: its answer, or its first error.
outcome() {
  local log=$1 port=
  for _ in $(seq 600); do
    port=$(sed -n 's/.*Started HTTPService at .*:\([0-9]*\)".*/\1/p' "$log")
    if [ -n "$port" ] || ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 0.1
  done
  if [ -n "$port" ] && curl -sf -m 10 -d "$request" "http://127.0.0.1:$port/v2/models/simple/infer" |
    grep -q '"data":\[2,4,6,8,'; then
    echo answers
  elif grep -q $'^\tat ' "$log"; then
    echo "a stack trace: $(grep -m 1 -B 1 $'^\tat ' "$log" | head -n 1)"
  else
    echo "says: $(grep -m 1 -E '^(nereid: |E[0-9]{4} )|cannot|error' "$log" || tail -n 1 "$log")"
  fi
}

# row <answers|says> <uid> <name> <commands of root in the namespace> [variable=value ...]
row() {
  local expected=$1 uid=$2 name=$3 prepare=$4 text mark=ok log=$work/log
  shift 4
  : >"$log"
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare -m --propagation private bash -c '
    set -e
    uid=$1 prepare=$2
    shift 2
    cd /
    eval "$prepare"
    exec setpriv --reuid="$uid" --regid="$uid" --clear-groups env -i "$@"' \
    - "$uid" "$prepare" PATH=/usr/bin:/bin "JAVA_HOME=$JAVA_HOME" "$@" "${launcher[@]}" serve \
    --model-repository "$work/models" --http-address 127.0.0.1 --http-port 0 --grpc-address 127.0.0.1 --grpc-port 0 \
    --metrics-address 127.0.0.1 --metrics-port 0 "${options[@]}" >"$log" 2>&1 &
  server=$!
  text=$(outcome "$log")
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
  case $text in
    "$expected"*) ;;
    *) mark=FAIL failed=1 ;;
  esac
  printf '| %-4s | %-7s | %-44s | %s |\n' "$mark" "$uid" "$name" "$(cut -c 1-300 <<<"$text")"
}

temporary='mount -t tmpfs -o mode=1777 tmpfs /tmp'
noexec='mount -t tmpfs -o mode=1777,noexec tmpfs /tmp'
read_only='mount -o remount,bind,ro /'
[ "$(stat -c %d "$work")" = "$(stat -c %d /)" ] ||
  read_only="$read_only; mount --bind '$work' '$work'; mount -o remount,bind,ro '$work'"

printf '| %-4s | %-7s | %-44s | %s |\n' "" user "home and file system" outcome
printf '| --- | --- | --- | --- |\n'
users() { # <beginning of the rows' names>
  for uid in 0 65534 1234567; do
    row answers "$uid" "$1HOME can be written" "$temporary" HOME="$work/home"
    row answers "$uid" "$1no HOME" "$temporary"
    row answers "$uid" "$1HOME=/" "$temporary" HOME=/
    row answers "$uid" "$1HOME is missing" "$temporary" HOME=/missing
    row answers "$uid" "$1HOME cannot be written" "$temporary" HOME="$work/readable"
    row answers "$uid" "$1read-only root, /tmp can be written" "$temporary; $read_only" HOME=/
  done
}
users ""
for uid in 0 1234567; do
  row answers "$uid" "/tmp is mounted noexec" "$noexec" HOME=/missing
  row answers "$uid" "ulimit -n 256" "$temporary; ulimit -n 256" HOME=/missing
done
row answers 1234567 "read-only root and /tmp" "$temporary; mount -o remount,ro /tmp; $read_only" HOME=/
for locale in unset C tr-TR fa-IR-arabext th-TH-thai; do
  IFS=- read -r language country digits <<<"$locale"
  case $locale in
    unset) row answers 1234567 "LANG unset" "$temporary" ;;
    C) row answers 1234567 "LANG=C" "$temporary" LANG=C ;;
    *) # the options too, since the system may lack the locale
      row answers 1234567 "LANG=${language}_$country.UTF-8" "$temporary" "LANG=${language}_$country.UTF-8" \
        "JAVA_OPTS=-Duser.language=$language -Duser.country=$country${digits:+ -Duser.extensions=u-nu-$digits}" ;;
  esac
done
launcher=(bash "$dist/bin/nereid")
row says 1234567 "the distribution is mounted noexec" "$temporary; mount --bind '$dist' '$dist'; mount -o remount,bind,noexec '$dist'" \
  HOME=/
launcher=("$dist/bin/nereid")
if [ -n "$ort_jar" ]; then
  options=(--backend-directory "$work/copy")
  users "copy: "
  row says 1234567 "copy: /tmp is mounted noexec" "$noexec" HOME=/
  row says 1234567 "copy: read-only root and /tmp" "$temporary; mount -o remount,ro /tmp; $read_only" HOME=/
  options+=(--backend-config=onnxruntime,cache-directory="$work/home/copy")
  row answers 1234567 "copy: noexec, and cache-directory elsewhere" "$noexec" HOME=/
fi
exit $failed
