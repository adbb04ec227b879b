#!/usr/bin/env bash
# Writes deploy/kubernetes from the chart: deploy/helm/manifests.sh; or checks the chart: deploy/helm/manifests.sh check.
# The check lints and renders it with the values of nereid/ci, compares deploy/kubernetes, and validates all of it
# by kubeconform if that is installed. HELM and KUBECONFORM name the programs, KUBERNETES the version, SCHEMAS the locations of schemas.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
helm=${HELM:-helm}
kubeconform=${KUBECONFORM:-kubeconform}
kubernetes=${KUBERNETES:-1.34.0}
catalogue=https://raw.githubusercontent.com/datreeio/CRDs-catalog/main
schemas="default $catalogue/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
schemas=${SCHEMAS:-$schemas}

if ! command -v "$helm" >/dev/null; then
  echo "manifests: no program '$helm'; HELM=<path> names it" >&2
  exit 2
fi

render() {
  "$helm" template nereid "$here/nereid" --namespace nereid --kube-version "$kubernetes" --values "$here/nereid/ci/$1-values.yaml"
}

# A manifest without what only Helm needs.
plain() {
  echo "# Made by deploy/helm/manifests.sh from deploy/helm/nereid; docs/kubernetes.md says what to change."
  render "$1" | sed -e '/^# Source: /d' -e '/app.kubernetes.io\/managed-by: Helm/d'
}

write() {
  mkdir -p "$1"
  plain pvc >"$1/nereid.yaml"
  plain kserve >"$1/kserve.yaml"
}

if [ "${1:-}" != check ]; then
  write "$here/../kubernetes"
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for values in "$here"/nereid/ci/*-values.yaml; do
  name=$(basename "$values" -values.yaml)
  "$helm" lint --strict --quiet --kube-version "$kubernetes" --values "$values" "$here/nereid"
  render "$name" >"$work/$name.yaml"
done
write "$work/kubernetes"
diff -r "$here/../kubernetes" "$work/kubernetes" || {
  echo "manifests: deploy/kubernetes is not what the chart makes; run deploy/helm/manifests.sh" >&2
  exit 1
}
if "$helm" template nereid "$here/nereid" --kube-version "$kubernetes" >/dev/null 2>"$work/refused"; then
  echo "manifests: a chart without models is not refused" >&2
  exit 1
fi
grep -q "must be set, got 0" "$work/refused"
if command -v "$kubeconform" >/dev/null; then
  locations=()
  for location in $schemas; do
    locations+=(-schema-location "$location")
  done
  "$kubeconform" -strict -summary -kubernetes-version "$kubernetes" "${locations[@]}" "$work"/*.yaml "$work"/kubernetes/*.yaml
else
  echo "manifests: not validated, since there is no program '$kubeconform'"
fi
