# To be sourced by benchmarks that measure starts: measure starts a server, asks it, and stops it. The server
# listens at port 28600. The script's own trap is to call stop_server.
# shellcheck shell=bash
log=$(mktemp)
server=
stop_server() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -f "$log"
}

# What waits here takes no processor time of the start from the server, as processes would.
exec {nothing}<> <(:)
pause() { read -r -t 0.005 -u "$nothing" || true; }

# Whether GET of the path $1 is answered by 200.
is_ready() {
  local connection status
  { exec {connection}<>/dev/tcp/127.0.0.1/28600; } 2>/dev/null || return 1
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&"$connection"
  read -r -u "$connection" status || true
  exec {connection}>&-
  [[ $status == *' 200 '* ]]
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# Prints how long the server of the command $4... takes until it answers GET $2, what it has used then, and how
# long curl's request takes with the arguments in the array named $3; $1 names the case.
measure() {
  local name=$1 path=$2 began ready ticks took
  local -n curl_arguments=$3
  shift 3
  began=$(milliseconds)
  "$@" >"$log" 2>&1 &
  server=$!
  until is_ready "$path"; do
    kill -0 "$server" || { cat "$log" >&2; exit 1; }
    pause
  done
  ready=$(($(milliseconds) - began))
  ticks=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
  took=$(curl -sf -o /dev/null -w '%{time_total}' "${curl_arguments[@]}")
  awk -v name="$name" -v ready="$ready" -v ticks="$ticks" -v hertz="$(getconf CLK_TCK)" -v took="$took" \
    '/^VmRSS/ { printf "%-29s ready %5d ms, CPU %5d ms, %3d MiB, request %.1f ms\n",
      name, ready, ticks * 1000 / hertz, $2 / 1024, took * 1000 }' "/proc/$server/status"
  kill "$server"
  wait "$server" || true
  server=
}
