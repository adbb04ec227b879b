# shellcheck shell=bash disable=SC2154
# Prometheus, its adapter and KEDA for cluster.sh, which reads this file: each one only if it is named.

hpa=nereid metrics_port=6444
scaling=()
if [ -n "${ADAPTER:-}${KEDA:-}" ]; then
  : "${PROMETHEUS:?"is needed by ADAPTER and KEDA: a folder with prometheus and promtool"}"
fi
if [ -n "${ADAPTER:-}" ]; then
  metrics_port=6445
fi
if [ -n "${KEDA:-}" ]; then
  hpa=keda-hpa-nereid
  scaling=(--set "autoscaling.kind=keda,autoscaling.prometheus=http://127.0.0.1:9090,autoscaling.queueMilliseconds=50")
fi

# Tells Prometheus which pods there are, once a second, with the labels that a ServiceMonitor gives.
tell_pods() {
  while sleep 1; do
    kubectl -n nereid get pods --no-headers --field-selector=status.phase=Running \
      -o custom-columns=ip:.status.podIP,name:.metadata.name 2>/dev/null | while read -r ip pod; do
      echo "- { targets: [\"$ip:8002\"], labels: { namespace: nereid, service: nereid, pod: $pod } }"
    done >"$out/pods.new" && mv "$out/pods.new" "$out/pods.yml"
  done
}

# With the interval of the chart's ServiceMonitor.
start_prometheus() {
  [ -n "${PROMETHEUS:-}" ] || return 0
  cat >"$out/prometheus.yml" <<YAML
global: { scrape_interval: 15s }
scrape_configs: [{ job_name: nereid, file_sd_configs: [{ files: ["$out/pods.yml"] }] }]
YAML
  : >"$out/pods.yml"
  tell_pods &
  "$PROMETHEUS/prometheus" --config.file="$out/prometheus.yml" --storage.tsdb.path="$out/prometheus" \
    --web.listen-address=127.0.0.1:9090 >"$out/prometheus.log" 2>&1 &
  await 30 curl -sf http://127.0.0.1:9090/-/ready
}

# With the rule of docs/kubernetes.md.
start_adapter() {
  [ -n "${ADAPTER:-}" ] || return 0
  { echo rules:; sed -n '/^- seriesQuery/,/^```/ { /^```/!p }' "$root/docs/kubernetes.md"; } >"$out/adapter.yml"
  "$ADAPTER" --config="$out/adapter.yml" --prometheus-url=http://127.0.0.1:9090/ --metrics-relist-interval=15s \
    --secure-port="$metrics_port" --tls-cert-file="$out/adapter.crt" --tls-private-key-file="$out/adapter.key" \
    --lister-kubeconfig="$KUBECONFIG" --authentication-kubeconfig="$KUBECONFIG" --authorization-kubeconfig="$KUBECONFIG" \
    >"$out/prometheus-adapter.log" 2>&1 &
}

# The operator, and the server of the API of external metrics, which asks the operator.
start_keda() {
  [ -n "${KEDA:-}" ] || return 0
  mkdir "$out/keda"
  cp "$out/adapter.crt" "$out/keda/ca.crt"
  cp "$out/adapter.crt" "$out/keda/tls.crt"
  cp "$out/adapter.key" "$out/keda/tls.key"
  kubectl create -f "$KEDA/crd" >/dev/null
  kubectl wait --for=condition=Established crd --all --timeout=30s >/dev/null
  kubectl create namespace keda >/dev/null
  export KEDA_CLUSTER_OBJECT_NAMESPACE=keda WATCH_NAMESPACE=
  "$KEDA/keda" --cert-dir="$out/keda" --metrics-bind-address=127.0.0.1:8080 \
    >"$out/keda-operator.log" 2>&1 &
  await 60 curl -sf http://127.0.0.1:8081/readyz
  "$KEDA/keda-adapter" --cert-dir="$out/keda" --metrics-service-address=localhost:9666 --port=8082 --secure-port=6446 \
    --tls-cert-file="$out/adapter.crt" --tls-private-key-file="$out/adapter.key" \
    --lister-kubeconfig="$KUBECONFIG" --authentication-kubeconfig="$KUBECONFIG" --authorization-kubeconfig="$KUBECONFIG" \
    >"$out/keda-adapter.log" 2>&1 &
  serve_api external.metrics.k8s.io v1beta1 6446
}

# Has the API server ask port $3 for the version $2 of the API $1.
serve_api() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Service
metadata: { name: "${1//./-}", namespace: kube-system }
spec: { type: ExternalName, externalName: localhost }
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: $2.$1 }
spec:
  group: $1
  version: $2
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: { name: "${1//./-}", namespace: kube-system, port: $3 }
YAML
  await 90 kubectl wait --for=condition=Available "apiservice/$2.$1" --timeout=1s
}

# Asks Prometheus for $3, and fails unless the sum of the answers is from $1 to $2.
query() {
  local answers
  echo "query: $3"
  answers=$("$PROMETHEUS/promtool" query instant http://127.0.0.1:9090 "$3")
  printf '  %s\n' "${answers//$'\n'/$'\n'  }"
  awk -v low="$1" -v high="$2" '{ sub(/.*=> /, ""); sum += $1 } END { exit !(NR && sum >= low && sum <= high) }' <<<"$answers" ||
    { echo "cluster: not from $1 to $2" >&2; exit 1; }
}

# What the adapter and KEDA ask for, while 40 clients wait for the model slow: those that are not on their way are in its
# queues, for less than a second. Each of four servers is read at a time of its own, so that a client may be counted by all.
queries() {
  [ -n "${PROMETHEUS:-}" ] || return 0
  local pods pending queue
  pods=$(kubectl -n nereid get pods -o 'jsonpath={.items[*].metadata.name}' | tr ' ' '|')
  query 1 160 'sum(nv_inference_pending_request_count{namespace="nereid",pod=~"'"$pods"'"}) by (pod)'
  { read -r pending; read -r queue; } < <("$helm" template nereid "$root/deploy/helm/nereid" --kube-version 1.36.0 "${values[@]}" \
    --set autoscaling.kind=keda,autoscaling.queueMilliseconds=50 |
    awk '/ query: >-/ { folded = 1; next } folded && /threshold/ { folded = 0; print "" } folded { printf "%s ", $0 } / query: [^>]/ { sub(/.* query: /, ""); print }')
  query 1 160 "$pending"
  query 10 1000 "$queue"
}
