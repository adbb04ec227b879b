#!/usr/bin/env bash
# Tests the rules by promtool, then starts a server and a Prometheus that reads its metrics, and runs each query of the rules and
# of the dashboard: each has a result, but for those of what does not happen here. Ports 9190 and 18002 must be free.
#
#   deploy/monitoring/check.sh [<distribution>]
#
# PROMETHEUS is a folder with prometheus and promtool; without it they are taken from Debian's package.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

programs=${PROMETHEUS:-}
if [ -z "$programs" ]; then
  (cd "$work" && apt-get -qq download prometheus && dpkg -x prometheus_*.deb .)
  programs=$work/usr/bin
fi
"$programs/promtool" check rules "$here/rules.yaml"
"$programs/promtool" test rules "$here/rules-test.yaml"

serve=("$root/nereid")
[ $# -eq 0 ] || serve=("$1/bin/nereid")
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -keyout "$work/key.pem" -out "$work/cert.pem" 2>"$work/openssl.log"
"${serve[@]}" serve --model-repository "$root/examples/models" --http-port 18000 --grpc-port 18001 --metrics-port 18002 \
  --grpc-use-ssl=1 --grpc-server-cert="$work/cert.pem" --grpc-server-key="$work/key.pem" --access-log="$work/access.log" >"$work/server.log" 2>&1 &
pids+=($!)
cat >"$work/prometheus.yaml" <<EOF
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [$here/rules.yaml]
scrape_configs:
  - job_name: nereid
    static_configs: [{ targets: ["127.0.0.1:18002"] }]
EOF
for _ in $(seq 300); do
  curl -sf -o "$work/ready" http://127.0.0.1:18000/v2/health/ready && break
  kill -0 "${pids[0]}" || { cat "$work/server.log" >&2; exit 1; }
  sleep 0.2
done
"$programs/prometheus" --config.file="$work/prometheus.yaml" --storage.tsdb.path="$work/data" --web.listen-address=127.0.0.1:9190 \
  >"$work/prometheus.log" 2>&1 &
pids+=($!)
numbers=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
for _ in $(seq 60); do
  curl -s -o "$work/answer" http://127.0.0.1:18000/v2/models/simple/infer -d '{"inputs":[
    {"name":"INPUT0","datatype":"INT32","shape":[1,16],"data":['$numbers']},{"name":"INPUT1","datatype":"INT32","shape":[1,16],"data":['$numbers']}]}'
  sleep 0.2
done

python3 - "$here" <<'EOF'
import json, re, sys, urllib.parse, urllib.request

here = sys.argv[1]
queries = []
for panel in json.load(open(here + "/dashboard.json"))["panels"]:
    for target in panel.get("targets", []):
        query = target["expr"].replace("$__rate_interval", "20s").replace("$instance", ".*").replace("$model", ".*")
        queries.append((panel["title"], query, not query.endswith("> 0")))
reply = json.load(urllib.request.urlopen("http://127.0.0.1:9190/api/v1/rules"))
for group in reply["data"]["groups"]:
    for rule in group["rules"]:
        queries.append((rule["name"], rule["query"], False))
failed = 0
for title, query, wanted in queries:
    url = "http://127.0.0.1:9190/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        count = len(json.load(urllib.request.urlopen(url))["data"]["result"])
        ok = count > 0 or not wanted
    except urllib.error.HTTPError as error:
        count, ok = error.read().decode(), False
    failed += not ok
    print("%-6s %-40s %s%s" % ("ok" if ok else "FAILED", title, count, "" if ok else "   " + query))
metrics = urllib.request.urlopen("http://127.0.0.1:18002/metrics").read().decode()
known = set(re.findall(r"^# TYPE (\S+)", metrics, re.M))
for name in sorted(set(re.findall(r"\b(?:nereid|nv)_[a-z_]+", " ".join(query for _, query, _ in queries)))):
    if re.sub(r"_(bucket|sum|count)$", "", name) not in known and name not in known:
        failed += 1
        print("FAILED the server has no metric", name)
print("%d queries, %d failed" % (len(queries), failed))
sys.exit(failed > 0)
EOF
