#!/usr/bin/env bash
# Installs the chart in a control plane of Kubernetes on this machine and prints what happens: deploy/cluster/cluster.sh.
# The nodes are Kubelet.java, whose pods are processes. All of it runs in a network and a process namespace of its own,
# and is gone at the end. Needs the rights to make them, and openssl.
#   KUBERNETES    a folder with kube-apiserver, kube-controller-manager, kube-scheduler and kubectl
#   ETCD, HELM    programs
#   DISTRIBUTION  a distribution of the server; by default the one that ./nereid builds
#   PROMETHEUS    optional, a folder with prometheus and promtool: what the queries of the chart and of docs/kubernetes.md give
#   ADAPTER       optional, the program of Prometheus' adapter: gives the metric to the HPA, in place of MetricsAdapter.java
#   KEDA          optional, a folder with keda, keda-adapter and the folder crd: the chart's ScaledObject in place of its HPA
#   STEPS         which of scale, update, broken, kill, hang, drain and shrink are run, in this order; without scale four servers are installed
#   OUT           a folder for logs; by default target/cluster
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
here=$root/deploy/cluster
# shellcheck source=../../server-nima/src/main/dist/bin/jdk25.sh
. "$root/server-nima/src/main/dist/bin/jdk25.sh"
use_jdk javac
KUBERNETES=$(realpath "${KUBERNETES:?"is a folder with kube-apiserver, kube-controller-manager, kube-scheduler and kubectl"}")
etcd=${ETCD:-etcd} helm=${HELM:-helm}
distribution=${DISTRIBUTION:-$root/server-nima/target/nereid}
# shellcheck source=metrics.sh
. "$here/metrics.sh"
steps=${STEPS:-scale update broken kill hang drain shrink}
for program in "$KUBERNETES"/{kube-apiserver,kube-controller-manager,kube-scheduler,kubectl} "$etcd" "$helm" openssl unshare ip; do
  command -v "$program" >/dev/null || { echo "cluster: no program '$program'" >&2; exit 2; }
done
if [ -z "${NEREID_CLUSTER:-}" ]; then
  [ -x "$distribution/bin/nereid" ] || "$root/nereid" doctor --help >/dev/null
  [ -e "$distribution/nereid.aot" ] || "$distribution/bin/nereid" aot
  exec env NEREID_CLUSTER=1 unshare --net --pid --fork --kill-child --mount-proc "${BASH_SOURCE[0]}"
fi

out=${OUT:-$root/target/cluster}
rm -rf "$out"
mkdir -p "$out"/{apiserver,pods,models}
out=$(cd "$out" && pwd -P)
export HOME=$out KUBECONFIG=$out/kubeconfig PATH=$KUBERNETES:$PATH
cp -r "$root/examples/models/digits" "$here/models/slow" "$out/models"

# The addresses of pods and services are this machine's, in a network that nothing else is in.
ip link set lo up
ip address add 10.244.0.0/24 dev lo
ip address add 10.96.0.0/16 dev lo

began=$(date +%s)
# Prints a title, with the seconds since the start.
title() {
  printf '\n== %d s: %s\n' $(($(date +%s) - began)) "$*"
}

# Prints a command and runs it.
show() {
  local line=${*//$root\//}
  printf '$ %s\n' "${line//$helm/helm}"
  "$@"
}

# Waits until the command succeeds, $1 seconds at most.
await() {
  local seconds=$1 end
  end=$(($(date +%s) + seconds))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$(date +%s)" -ge "$end" ]; then
      echo "cluster: not within $seconds s: $*" >&2
      tail -n 5 "$out"/*.log >&2
      exit 1
    fi
    sleep 0.5
  done
}

replicas_ready() {
  [ "$(kubectl -n nereid get deployment nereid -o 'jsonpath={.spec.replicas} {.status.readyReplicas}')" = "$1 $1" ]
}

pods_are() {
  [ "$(kubectl -n nereid get pods -o name | wc -l)" = "$1" ]
}

# Prints the lines that program $1 has logged since the last time.
declare -A seen
news() {
  local lines
  lines=$(wc -l <"$out/$1.log")
  sed -n "$((${seen[$1]:-0} + 1)),${lines}p" "$out/$1.log" | grep -v '^WARNING' | sed 's:^:  :' || true
  seen[$1]=$lines
}

title "a control plane"
token=$(openssl rand -hex 16)
echo "$token,admin,admin,system:masters" >"$out/tokens.csv"
openssl genrsa -out "$out/accounts.key" 2048 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$out/adapter.key" -out "$out/adapter.crt" -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -days 2 2>/dev/null
openssl pkcs12 -export -in "$out/adapter.crt" -inkey "$out/adapter.key" -out "$out/adapter.p12" -passout pass:nereid
"$etcd" --data-dir "$out/etcd" --log-level warn >"$out/etcd.log" 2>&1 &
kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address=10.244.0.1 --endpoint-reconciler-type=none \
  --cert-dir="$out/apiserver" --token-auth-file="$out/tokens.csv" --authorization-mode=RBAC --service-cluster-ip-range=10.96.0.0/16 \
  --service-account-issuer=https://kubernetes.default.svc --service-account-signing-key-file="$out/accounts.key" \
  --service-account-key-file="$out/accounts.key" --requestheader-client-ca-file="$out/adapter.crt" \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --proxy-client-cert-file="$out/adapter.crt" --proxy-client-key-file="$out/adapter.key" >"$out/kube-apiserver.log" 2>&1 &
await 120 test -s "$out/apiserver/apiserver.crt"
cat >"$KUBECONFIG" <<YAML
apiVersion: v1
kind: Config
current-context: here
contexts: [{ name: here, context: { cluster: here, user: admin } }]
clusters: [{ name: here, cluster: { server: "https://localhost:6443", certificate-authority: "$out/apiserver/apiserver.crt" } }]
users: [{ name: admin, user: { token: "$token" } }]
YAML
await 120 kubectl get --raw /readyz
kube-controller-manager --kubeconfig="$KUBECONFIG" --leader-elect=false --secure-port=0 \
  --service-account-private-key-file="$out/accounts.key" >"$out/kube-controller-manager.log" 2>&1 &
kube-scheduler --kubeconfig="$KUBECONFIG" --leader-elect=false --secure-port=0 >"$out/kube-scheduler.log" 2>&1 &
"$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -Xmx128m -cp "$distribution/lib/*" "$here/Kubelet.java" https://localhost:6443 \
  "$out/apiserver/apiserver.crt" "$token" "$out/adapter.p12" "$distribution/bin/nereid" "$out/pods" node-1 node-2 >"$out/kubelet.log" 2>&1 &
await 60 kubectl wait --for=condition=Ready node/node-1 node/node-2 --timeout=1s
kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Namespace
metadata: { name: nereid }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: models }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadOnlyMany]
  claimRef: { namespace: nereid, name: models }
  hostPath: { path: "$out/models" }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: models, namespace: nereid }
spec:
  storageClassName: ""
  accessModes: [ReadOnlyMany]
  resources: { requests: { storage: 1Gi } }
YAML
start_prometheus
start_adapter
serve_api custom.metrics.k8s.io v1beta2 "$metrics_port"
start_keda
await 60 kubectl -n nereid wait --for=jsonpath='{.status.phase}'=Bound pvc/models --timeout=1s
show kubectl version
show kubectl get nodes

values=(--values "$here/values.yaml" "${scaling[@]}" --namespace nereid)
servers=1
[[ " $steps " == *" scale "* ]] || servers=4
title "the chart is installed with $servers server(s)"
show "$helm" install nereid "$root/deploy/helm/nereid" "${values[@]}" --set "autoscaling.minReplicas=$servers" | grep -v '^$'
await 120 replicas_ready "$servers"
news kubelet
show kubectl -n nereid get deployment,pods,poddisruptionbudget,hpa,service
service=$(kubectl -n nereid get service nereid -o 'jsonpath={.spec.clusterIP}')
show curl -s -d "@$root/examples/digits/held-out/000.json" "http://$service:8000/v2/models/digits/infer"
printf '\n\n40 clients of the model slow, whose server answers 50 requests a second\n'
"$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -Xmx64m "$here/Load.java" "$service" 8000 slow 40 >"$out/load.log" 2>&1 &
load=$!

step_scale() {
  local replicas line
  title "the number of requests that wait makes four servers"
  for replicas in 2 4; do
    await 180 replicas_ready "$replicas"
    printf '%d s: ' $(($(date +%s) - began))
    kubectl -n nereid get hpa "$hpa" --no-headers
  done
  news kubelet
  show kubectl -n nereid get pods -o wide
  show kubectl -n nereid get events --field-selector reason=SuccessfulRescale -o custom-columns=MESSAGE:.message
  sleep 15
  news load
  queries
}

step_update() {
  title "a rolling update under the load"
  show "$helm" upgrade nereid "$root/deploy/helm/nereid" "${values[@]}" --reuse-values --set podAnnotations.revision=two >/dev/null
  show kubectl -n nereid rollout status deployment/nereid --timeout=300s | tail -1
  await 60 pods_are 4
  sleep 6
  news kubelet
  news load
}

step_broken() {
  title "a rolling update with a broken model beside the others: it stops at the first new pod"
  local new
  mkdir -p "$out/models/broken/1"
  echo 'this is no model' >"$out/models/broken/1/model.onnx"
  show "$helm" upgrade nereid "$root/deploy/helm/nereid" "${values[@]}" --reuse-values --set podAnnotations.revision=broken >/dev/null
  show kubectl -n nereid rollout status deployment/nereid --timeout=60s || true
  show kubectl -n nereid get deployment,pods
  [ "$(kubectl -n nereid get deployment nereid -o 'jsonpath={.status.readyReplicas}')" = 4 ]
  new=$(kubectl -n nereid get pods --sort-by=.metadata.creationTimestamp -o name | tail -1)
  grep -h 'broken' "$out/pods/${new#pod/}.log" | tail -n 3
  news load
  rm -r "$out/models/broken"
  show kubectl -n nereid rollout undo deployment/nereid
  await 120 replicas_ready 4
  await 60 pods_are 4
  news kubelet
  news load
}

# Sends the signal $1 to the first server.
signal() {
  pod=$(kubectl -n nereid get pods -o 'jsonpath={.items[0].metadata.name}')
  show kill "-$1" "$(sed -n "s/.* $pod: started at .*, process //p" "$out/kubelet.log" | tail -1)"
}

step_kill() {
  title "a server is killed"
  signal KILL
  sleep 1
  await 60 replicas_ready 4
  sleep 6
  news kubelet
  news load
}

step_hang() {
  title "a server hangs"
  signal STOP
  await 60 grep -q "$pod: not ready" "$out/kubelet.log"
  await 120 grep -q "$pod: SIGKILL" "$out/kubelet.log"
  await 60 replicas_ready 4
  sleep 6
  news kubelet
  news load
}

step_drain() {
  title "a node is drained: its pods leave one at a time, by the PodDisruptionBudget"
  show kubectl drain node-1 --delete-emptydir-data --timeout=240s
  await 120 replicas_ready 4
  await 60 pods_are 4
  sleep 6
  news kubelet
  news load
  show kubectl -n nereid get pods -o wide
  kubectl uncordon node-1 >/dev/null
}

step_shrink() {
  title "no load: one server is left"
  kill "$load"
  wait "$load" || true
  news load
  await 240 replicas_ready 1
  await 60 pods_are 1
  news kubelet
  show kubectl -n nereid get hpa
  show kubectl -n nereid get events --field-selector reason=SuccessfulRescale -o custom-columns=MESSAGE:.message
}

for step in $steps; do
  "step_$step"
done

title "the chart is uninstalled"
show "$helm" uninstall nereid --namespace nereid
await 60 pods_are 0
news kubelet
