#!/usr/bin/env bash
# The pages of the TCK in Chromium, which Debian's package chromium has: check.sh <nereid-tck.jar> <folder>
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
mkdir -p "$2"
[ -d "$2/node_modules/playwright-core" ] ||
  npm install --silent --no-save --no-audit --no-fund --prefix "$2" playwright-core@1.56.1
node "$here/check.mjs" "$1" "$2"
