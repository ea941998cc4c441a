#!/usr/bin/env bash
# Builds what a release uploads into dist/, and checks it; `make dist` sets up the tools and runs it:
#
#   sdist              the source archive
#   build TARGET [PY]  an abi3 wheel for a Rust target; with an interpreter that has no abi3 (3.14t), one for that
#   packages           the extension packages
#   check              look at all of them: metadata, policy of the platform, symbols of the ABI, SBOM, size
#   again TARGET       build the wheel once more from the source archive, elsewhere, and compare the bits
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p dist target/dist

# A wheel that has grown beyond this has something in it that should not be there.
most_bytes=2500000

# Timestamps within archives: that of the last commit, or the first that a zip file can hold where there is no clone.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH

# wheel SOURCE OUT LOCK TARGET [INTERPRETER]: for Linux zig links, so that the libc of the machine does not matter. No path of the
# machine gets into the binary, nor into the list of its crates, in which maturin names where they lay.
wheel() {
	local source=$1 out=$2 lock=$3 target=$4 interpreter=${5:-} cargo_home=${CARGO_HOME:-$HOME/.cargo} sysroot part
	local raw=$PWD/target/dist/raw unpacked=$PWD/target/dist/unpacked
	local options=(--release "$lock" --strip --target "$target" --out "$raw")
	rm -rf "$raw" "$unpacked"
	case $target in
	*-linux-gnu) options+=(--zig --compatibility manylinux_2_17) ;;
	*-linux-musl) options+=(--zig --compatibility musllinux_1_2) ;;
	*) options+=(--compatibility pypi) ;;
	esac
	if [ -n "$interpreter" ]; then options+=(--interpreter "$interpreter"); fi
	sysroot=$(rustc --print sysroot)
	for part in "$target" ${target/#universal2*/x86_64-apple-darwin aarch64-apple-darwin}; do
		case $part in universal2*) continue ;; esac
		if ! [ -d "$sysroot/lib/rustlib/$part" ]; then rustup target add "$part"; fi
	done
	(
		cd "$source"
		export RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$cargo_home=cargo --remap-path-prefix=$sysroot=rust"
		maturin build "${options[@]}"
		python -m wheel unpack --dest "$unpacked" "$raw"/*.whl
		perl -pi -e "s#\Q$PWD\E#.#g" "$unpacked"/*/*.dist-info/sboms/*.json
		python -m wheel pack --dest-dir "$out" "$unpacked"/*
	)
}

case ${1:-} in
sdist)
	maturin sdist --out dist
	;;
build)
	wheel . "$PWD/dist" --locked "${@:2}"
	;;
packages)
	# In copies, since building leaves its traces beside the sources.
	for package in plugins/*/; do
		copy=target/dist/$package
		rm -rf "$copy"
		mkdir -p "$copy"
		git -C "$package" ls-files -z | tar -C "$package" --null -T - -c | tar -C "$copy" -x
		cp LICENSE LICENSE-MIT LICENSE-APACHE "$copy"
		python -m build --no-isolation --outdir dist "$copy"
	done
	;;
check)
	twine check --strict dist/*
	for file in dist/mindgap-*.whl; do
		case $file in
		# maturin audits those for musl, which auditwheel can only do where musl is the libc.
		*manylinux*)
			# It names the oldest platform that the wheel runs on, which must be one of those in the file's name.
			auditwheel show "$file" | tee target/dist/auditwheel
			tag=$(tr '\n' ' ' <target/dist/auditwheel | sed -E 's/.*following platform tag: *"([^"]*)".*/\1/')
			case $file in *"$tag"*) ;; *) echo "$file is for $tag" >&2 && exit 1 ;; esac
			;;
		esac
		case $file in *-abi3-*) abi3audit --strict "$file" ;; esac
		python -m zipfile -l "$file" | grep -q 'sboms/.*cyclonedx.json'
		bytes=$(wc -c <"$file")
		echo "$file: $bytes bytes"
		if [ "$bytes" -gt "$most_bytes" ]; then
			echo "more than $most_bytes bytes" >&2 && exit 1
		fi
	done
	;;
again)
	rm -rf target/dist/again
	mkdir -p target/dist/again
	tar -x -C target/dist/again -f dist/mindgap-*.tar.gz
	# The archive lacks the crates that test and measure, and cargo takes them out of its copy of Cargo.lock; no version changes.
	wheel target/dist/again/mindgap-* "$PWD/target/dist/again" --offline "$2"
	for file in target/dist/again/*.whl; do
		sha256sum "$file" "dist/${file##*/}"
		cmp "$file" "dist/${file##*/}"
	done
	;;
*)
	sed -n '2,8p' "$0" >&2
	exit 2
	;;
esac
