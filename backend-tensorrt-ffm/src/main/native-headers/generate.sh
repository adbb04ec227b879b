#!/usr/bin/env bash
# Generates the bindings in src/generated/java from the headers of this folder.
#
#   generate.sh JEXTRACT CUDA_INCLUDE [OUTPUT]
#
# JEXTRACT is a command that runs jextract at the commit below; CUDA_INCLUDE is a folder with
# cuda_runtime_api.h of the version below, such as nvidia/cu13/include of the wheels
# nvidia-cuda-runtime and nvidia-cuda-crt. Nothing else of CUDA or TensorRT is needed, and the
# build does not run this script. With OUTPUT the bindings are written there, for a comparison.
set -euo pipefail

jextract_commit=f9866df # github.com/openjdk/jextract, with libclang 14
cuda_version=13050      # CUDART_VERSION

if [ $# -lt 2 ]; then
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
jextract=$1 cuda=$2
headers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
output=${3:-$headers/../../generated/java}
package=io.nereid.tensorrt.bindings

if ! grep -q "define CUDART_VERSION *$cuda_version\$" "$cuda/cuda_runtime_api.h"; then
  echo "generate.sh: $cuda is not CUDART_VERSION $cuda_version" >&2
  exit 1
fi

# Arguments: the name of the header and of the Java package, then further options.
bind() {
  local name=$1 lookup
  shift
  rm -rf "${output:?}/${package//.//}/$name"
  "$jextract" --output "$output" --target-package "$package.$name" \
    --header-class-name "${name^}" "$@" "$headers/$name.h"
  # The libraries are opened by the backend, which knows where to search; see NativeLibraries.
  lookup="io.nereid.tensorrt.library.LibraryLookup.of(\"$name\")"
  perl -0pi -e "s/(static final SymbolLookup SYMBOL_LOOKUP =) [^;]*;/\$1 $lookup;/" \
    "$output/${package//.//}/$name/${name^}.java"
}

# Prints the options that bind what our own headers declare, and nothing of the system's.
own() {
  local all
  all=$(mktemp)
  "$jextract" --dump-includes "$all" "$headers/$1.h" 2>/dev/null
  grep -F "header: $headers/" "$all" | sed 's/ *#.*//'
  rm "$all"
}

bind cudart --include-dir "$cuda" "@$headers/cudart.jextract"
options=$(mktemp)
trap 'rm -f "$options"' EXIT
for name in nvinfer nvonnxparser; do
  own "$name" >"$options"
  bind "$name" "@$options"
done
echo "generated with jextract $jextract_commit"
