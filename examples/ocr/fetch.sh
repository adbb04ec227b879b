#!/usr/bin/env bash
# Makes a model repository with the models of PaddleOCR, which PyPI's rapidocr-onnxruntime has (Apache-2.0), and a page to read:
#
#   examples/ocr/fetch.sh FOLDER
#
# FOLDER/models is the repository, FOLDER/page.rgb a page of 640 x 480 pixels. Needs python3 with pip; downloads 20 MB.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }

example=$(cd "$(dirname "$0")" && pwd -P)
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)

python3 -m pip install -q --no-deps --upgrade --target "$folder/python" rapidocr-onnxruntime==1.4.4 pillow
from=$folder/python/rapidocr_onnxruntime/models

rm -rf "$folder/models"
mkdir -p "$folder/models"
cp -r "$example/models/ocr" "$folder/models/"
# the name of the model here, and its file there
while read -r name file; do
  mkdir -p "$folder/models/$name/1"
  cp "$from/$file" "$folder/models/$name/1/model.onnx"
  printf 'backend: "onnxruntime"\nmax_batch_size: 64\ninstance_group { count: 1 kind: KIND_CPU }\n' >"$folder/models/$name/config.pbtxt"
done <<'MODELS'
text_finder ch_PP-OCRv4_det_infer.onnx
text_direction ch_ppocr_mobile_v2.0_cls_infer.onnx
text_reader ch_PP-OCRv4_rec_infer.onnx
MODELS
PYTHONPATH=$folder/python python3 "$example/prepare.py" "$folder"
