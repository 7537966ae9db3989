#!/bin/sh
# Makes sure that the browser tests have a Chromium that starts: asks the tests' own search, and installs one if it fails.
set -eu
python="${BIN:-.venv/bin}/python"
starts() {
    "$python" -c 'from tests.browser.server import chromium
with chromium(): pass'
}
starts 2>/dev/null && exit 0
echo "No Chromium that starts was found; installing one." >&2
if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
if command -v apt-get >/dev/null && { [ -z "$as_root" ] || command -v "$as_root" >/dev/null; }; then
    $as_root apt-get update -qq &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null &&
        starts 2>/dev/null && exit 0
fi
"$python" -m playwright install --with-deps chromium || "$python" -m playwright install chromium || true
starts && exit 0
echo "Chromium could not be installed. Install it by hand and name it in the variable CHROMIUM." >&2
exit 1
