#!/usr/bin/env bash
# Runs the tests that need a GPU, with the files that "make gpu-files" has put beside this script.
#
#   gpu.sh gpu|gpu-trt [-Dproperty=value ...]
#
# gpu needs a driver; gpu-trt needs TensorRT too. Properties that name files of the machine:
# tensorrt.cudart, tensorrt.nvinfer. What is found beside this script need not be named.
set -euo pipefail

files=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
tag=${1:-}
case $tag in
  gpu | gpu-trt) shift ;;
  *)
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

options=("-Dnereid.examples=$files/examples" "-Dnereid.onnx.models=$files/onnx-models")
cudart=$files/cuda/nvidia/cu13/lib/libcudart.so.13
nvinfer=$files/tensorrt/org/bytedeco/tensorrt/linux-x86_64/libnvinfer.so.10
[ -e "$cudart" ] && options+=("-Dtensorrt.cudart=$cudart")
if [ -e "$nvinfer" ]; then
  options+=("-Dtensorrt.nvinfer=$nvinfer")
  # libnvinfer 10.6 opens its kernels by name, and has no run path to the folder that it lies in itself.
  export LD_LIBRARY_PATH=${nvinfer%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

cd "$files"
exec "$files/java/bin/java" --enable-native-access=ALL-UNNAMED -Xmx2g "${options[@]}" "$@" \
  -cp "$files/classes:$files/test-classes:$files/lib/*" \
  org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=tree \
  --scan-classpath="$files/test-classes" --include-classname='.*GpuTest' --include-tag="$tag" \
  --fail-if-no-tests
