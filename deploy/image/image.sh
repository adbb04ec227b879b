#!/usr/bin/env bash
# Writes an image without Docker: deploy/image/image.sh <base> <layers> <archive>. The base is a tar file of a file
# system, as base.sh makes or "docker export" prints; the layers are those of layers.sh. The archive has the image in the
# OCI's layout, for "docker load", "podman load" and "skopeo copy oci-archive:". User, ports, labels and entry point
# come from the last stage of Dockerfile; NAME, VERSION and REVISION name it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
base=${1:?"usage: image.sh <base> <layers> <archive>"}
layers=${2:?"usage: image.sh <base> <layers> <archive>"}
archive=$(realpath "${3:?"usage: image.sh <base> <layers> <archive>"}")
name=${NAME:-nereid:latest}
version=${VERSION:-snapshot}
revision=${REVISION:-unknown}
epoch=$(stat -c %Y "$layers/server")
created=$(date -u +%Y-%m-%dT%H:%M:%SZ -d "@$epoch")
case $(ls "$layers"/server/opt/nereid/backends/onnxruntime/ai/onnxruntime/native) in
  linux-x64) architecture=amd64 ;;
  linux-aarch64) architecture=arm64 ;;
  *) echo "image.sh: $layers is not what layers.sh makes" >&2; exit 1 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/blobs/sha256"
descriptors='' diffs='' files=''

# Keeps the file $1 as a blob; prints its digest and size.
blob() {
  local digest size
  digest=$(sha256sum <"$1" | cut -d ' ' -f 1)
  size=$(stat -c %s "$1")
  mv "$1" "$work/blobs/sha256/$digest"
  echo "$digest $size"
}

# Adds the tar file $1 as a layer.
layer() {
  local digest size
  diffs=$diffs${diffs:+,}\"sha256:$(sha256sum <"$1" | cut -d ' ' -f 1)\"
  gzip -n -c "$1" >"$work/layer.gz"
  read -r digest size <<<"$(blob "$work/layer.gz")"
  descriptors=$descriptors${descriptors:+,}'{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:'$digest'","size":'$size'}'
  files=$files${files:+,}\"blobs/sha256/$digest\"
  awk -v name="$2" -v bytes="$(stat -c %s "$1")" -v packed="$size" \
    'BEGIN { printf "%-8s %6.1f MB, %5.1f MB compressed\n", name, bytes / 1e6, packed / 1e6 }'
}

# Prints what the last stage of Dockerfile says of $1, a line each.
setting() {
  sed -n '/^FROM ${BASE}/,$p' "$here/Dockerfile" | sed -n "s/^$1 //p" |
    sed "s:\${VERSION}:$version:; s:\${REVISION}:$revision:"
}

# Makes lines to the elements of a JSON list or object.
joined() {
  paste -s -d ,
}

case $base in
  *.gz) gzip -d -c "$base" >"$work/base.tar" ;;
  *) cp "$base" "$work/base.tar" ;;
esac
layer "$work/base.tar" base
for each in runtime server cache; do
  tar -c -C "$layers/$each" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" . >"$work/$each.tar"
  layer "$work/$each.tar" "$each"
done
rm "$work"/*.tar

cat >"$work/config" <<JSON
{"created":"$created","architecture":"$architecture","os":"linux",
"config":{"User":"$(setting USER)","WorkingDir":"$(setting WORKDIR)","StopSignal":"$(setting STOPSIGNAL)",
"ExposedPorts":{$(setting EXPOSE | tr ' ' '\n' | sed 's:.*:"&/tcp"\:{}:' | joined)},
"Env":[$(setting ENV | sed 's:"::g; s:.*:"&":' | joined)],
"Labels":{$(setting LABEL | sed 's:\([^=]*\)=\(.*\):"\1"\:\2:' | joined)},
"Entrypoint":$(setting ENTRYPOINT),"Cmd":$(setting CMD)},
"rootfs":{"type":"layers","diff_ids":[$diffs]}}
JSON
read -r config size <<<"$(blob "$work/config")"
cat >"$work/manifest" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config","size":$size},
"layers":[$descriptors]}
JSON
read -r manifest size <<<"$(blob "$work/manifest")"
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
cat >"$work/index.json" <<JSON
{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:$manifest","size":$size,
"platform":{"os":"linux","architecture":"$architecture"},
"annotations":{"org.opencontainers.image.ref.name":"${name##*:}","io.containerd.image.name":"docker.io/library/$name"}}]}
JSON
# The same for Docker before version 25.
echo '[{"Config":"blobs/sha256/'"$config"'","RepoTags":["'"$name"'"],"Layers":['"$files"']}]' >"$work/manifest.json"
(cd "$work" && tar -c --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
  blobs index.json manifest.json oci-layout) >"$archive"
echo "$name, linux/$architecture: $archive, $(stat -c %s "$archive" | awk '{ printf "%.1f MB", $1 / 1e6 }')"
