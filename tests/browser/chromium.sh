#!/bin/sh
# Finds a Chromium for the browser tests, or installs one. The tests look in the same places (tests/browser/conftest.py).
set -eu
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done
echo "No Chromium found; installing one." >&2
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null && exit 0
fi
"${BIN:-.venv/bin}/python" -m playwright install chromium && exit 0
echo "Chromium could not be installed. Install it by hand and name it in the variable CHROMIUM." >&2
exit 1
