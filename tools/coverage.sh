#!/usr/bin/env bash
# Measures which lines the tests reach, in Rust and in Python; `make coverage` sets up what it needs and runs it.
#
# Rust counts what its own tests reach and what the Python tests reach through the binding, which is built with
# instrumentation for the time being. Python counts what the tests reach in this process and in those they start.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$PWD/target/coverage
core=python/mindgap/_core.abi3.so
mkdir -p "$work"
export CARGO_TARGET_DIR=$work/rust COVERAGE_FILE=$work/python.data

# llvm-cov and llvm-profdata must be those of the compiler.
if [ -z "${LLVM_COV:-}" ] && ! [ -x "$(rustc --print target-libdir)/../bin/llvm-cov" ]; then
	rustup component add llvm-tools
fi
cargo install --quiet --root "$work/tools" --target-dir "$work/tools/build" --locked cargo-llvm-cov@0.9.1
export PATH=$work/tools/bin:$PATH

environment=$(cargo llvm-cov show-env --sh)
eval "$environment"
cargo llvm-cov clean --profraw-only
failed=0
cargo test --locked --workspace --quiet --no-fail-fast || failed=1

# The instrumented core takes the place of the package's own until the tests have run.
cp -p "$core" "$work/core"
trap 'cp -p "$work/core" "$core"' EXIT
maturin develop --locked
rm -rf "$work/plugins"
pip install --no-deps --no-build-isolation --target "$work/plugins" plugins/*/

# The extension packages are tested here as they are, not in clean environments, which would build the core once more.
# The crate that the package is compared with is not the instrumented one. What takes minutes as it is takes hours with
# instrumentation, whose counters all threads share, and reaches what the other tests reach.
left_out=$(printf -- '--ignore=tests/test_%s.py ' extension_packages crate_agrees soak paper_experiment_1 paper_experiment_3)
coverage erase
# shellcheck disable=SC2086 # one word each
coverage run -m pytest --quiet $left_out || failed=1
# What they need beside mindgap; not themselves, which the tests of the package must not find installed.
pip install --no-build-isolation 'plugins/mindgap-dask[test]'
pip uninstall --yes mindgap-dask
for package in plugins/*/; do
	PYTHONPATH=$work/plugins coverage run -m pytest --quiet "$package" || failed=1
done
coverage combine --quiet

printf '\nRust\n'
cargo llvm-cov report --show-missing-lines --ignore-filename-regex '(/tests/|/tests\.rs|/examples/|/benches/)'
printf '\nPython\n'
coverage report
exit $failed
