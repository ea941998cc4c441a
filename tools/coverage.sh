#!/usr/bin/env bash
# Measures which lines the tests reach, in Rust and in Python; `make coverage` sets up what it needs and runs it.
#
# Rust counts what its own tests reach, and the Python tests of the binding through a core that is built with
# instrumentation for the time being. Python counts what all its tests reach, in this process and in those they start.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$PWD/target/coverage
core=python/mindgap/_core.abi3.so
mkdir -p "$work"
export COVERAGE_FILE=$work/python.data
failed=0

# The extension packages are tested here as they are, not in clean environments, which would build the core once more.
rm -rf "$work/plugins"
pip install --quiet --no-deps --no-build-isolation --target "$work/plugins" plugins/*/
coverage erase
coverage run -m pytest --quiet --ignore tests/test_extension_packages.py || failed=1
for package in plugins/*/; do
	PYTHONPATH=$work/plugins coverage run -m pytest --quiet "$package" || failed=1
done
coverage combine --quiet

# llvm-cov and llvm-profdata must be those of the compiler.
if [ -z "${LLVM_COV:-}" ] && ! [ -x "$(rustc --print target-libdir)/../bin/llvm-cov" ]; then
	rustup component add llvm-tools
fi
cargo install --quiet --root "$work/tools" --target-dir "$work/tools/build" --locked cargo-llvm-cov@0.9.1
export PATH=$work/tools/bin:$PATH

export CARGO_TARGET_DIR=$work/rust
environment=$(cargo llvm-cov show-env --sh)
eval "$environment"
cargo llvm-cov clean --profraw-only
cargo test --locked -p mindgap --all-features --lib --test it --quiet --no-fail-fast || failed=1

# The instrumented core takes the place of the package's own until the tests of what the binding converts and refuses have
# run. The others reach no more of it, and mixtures are some twenty times as slow with instrumentation.
cp -p "$core" "$work/core"
trap 'cp -p "$work/core" "$core"' EXIT
maturin develop --locked
binding=(absurd_bounds chunks constraints engines errors foreign_arrays initializers interrupting kmeans_exact kmeans_input
	kmeans_rows mixture_input moments plugin_answers results_say sample summary threads)
binding=("${binding[@]/#/tests/test_}")
pytest --quiet "${binding[@]/%/.py}" || failed=1

printf '\nRust\n'
cargo llvm-cov report --show-missing-lines --ignore-filename-regex '(/tests/|/tests\.rs|/examples/|/benches/)'
printf '\nPython\n'
coverage report
exit $failed
