#!/usr/bin/env bash
# Changes the solvers (cargo-mutants) and the package's lower layers (cosmic-ray), and lists the changes that no test noticed:
# `tools/mutants.sh rust 3/50` or `tools/mutants.sh python 3/50`, which is the fourth of fifty parts. `make mutants` sets up the tools.
# A whole run takes days in Rust and hours in Python.
set -euo pipefail
cd "$(dirname "$0")/.."
language=$1 shard=${2:-0/1}

if [ "$language" = rust ]; then
	# nextest ends at the first test that fails.
	tool=cargo
	if command -v cargo-nextest >/dev/null; then tool=nextest; fi
	exec cargo mutants --test-tool "$tool" --shard "$shard" --output target
fi

# cosmic-ray changes files in place: in a copy.
copy=target/mutants-python
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z python tests docs pyproject.toml README.md | xargs -0 tar -c | tar -x -C "$copy"
cp python/mindgap/_core.*.so "$copy/python/mindgap/"
cp tools/mutants.toml "$copy"
cd "$copy"
export PYTHONPATH=$PWD/python
cosmic-ray init mutants.toml session.sqlite
cr-filter-operators session.sqlite mutants.toml
# Keep this part of what the filter left.
python - "$shard" <<'EOF'
import sqlite3, sys

part, parts = map(int, sys.argv[1].split("/"))
with sqlite3.connect("session.sqlite") as session:
    left = "SELECT job_id FROM mutation_specs WHERE job_id NOT IN (SELECT job_id FROM work_results)"
    jobs = session.execute(f"{left} ORDER BY module_path, start_pos_row, start_pos_col, operator_name").fetchall()
    session.execute("CREATE TEMPORARY TABLE kept (job_id)")
    session.executemany("INSERT INTO kept VALUES (?)", jobs[part::parts])
    for table in ("work_results", "mutation_specs", "work_items"):
        session.execute(f"DELETE FROM {table} WHERE job_id NOT IN (SELECT job_id FROM kept)")
EOF
cosmic-ray exec mutants.toml session.sqlite
cr-report --show-diff --surviving-only session.sqlite
cr-rate session.sqlite
