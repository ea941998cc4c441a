#!/usr/bin/env bash
# Installs the browser that the reports are tested in, where it is absent and may be installed. Never fails: without a
# browser those tests skip and say so.
set -u

for name in chromium chromium-browser google-chrome; do
	if command -v "$name" >/dev/null; then exit 0; fi
done

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	echo "no chromium here, and only root can install it by apt-get: the browser tests will skip" >&2
	exit 0
fi

export DEBIAN_FRONTEND=noninteractive
{ apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null ||
	echo "chromium could not be installed: the browser tests will skip" >&2
