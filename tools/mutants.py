"""Change the solvers (cargo-mutants) and the package's lower layers (cosmic-ray), and list what no test noticed.

`tools/mutants.py kmeans --sample 100 --seed 1` tries a random hundred of the changes to k-means; `--sample 0` tries
them all, which takes days. `make mutants` sets up the tools.
"""

import argparse
import json
import math
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "target" / "mutants"
# nextest ends at the first test that fails.
NEXTEST = shutil.which("cargo-nextest") is not None
SLOW = ["--run-ignored=only"] if NEXTEST else ["--", "--ignored"]
AREAS = ("kmeans", "mixture", "qp", "python")
# Groups of the crate's tests, the cheapest for what it catches first; each runs on what those before it left.
STAGES = (["--lib"], ["--test", "it"], ["--lib", "--test", "it", *SLOW])
# Where changed copies of the repository are made.
TREES = OUT / "trees"
# Incremental builds without debug information: each change then costs seconds of compiling.
ENVIRONMENT = {
    "TMPDIR": str(TREES),
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_INCREMENTAL": "1",
    "CARGO_TARGET_DIR": str(OUT / "build"),
}


def main() -> None:
    """Run the areas asked for, one after the other, and print a score for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("areas", nargs="*", default=AREAS, metavar="area", help=f"of {', '.join(AREAS)} (default: all)")
    parser.add_argument(
        "--sample", type=int, default=100, help="how many changes to try in each area; 0 for all (default: 100)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random sample (default: 1)")
    parser.add_argument("--again", action="store_true", help="try only the changes that survived the last run")
    options = parser.parse_args()
    if unknown := set(options.areas) - set(AREAS):
        parser.error(f"no such area: {', '.join(sorted(unknown))}")
    print(f"a sample of {options.sample or 'all'} in each area, drawn by seed {options.seed}")
    scores = []
    if modules := [area for area in options.areas if area != "python"]:
        scores += run_crate(modules, options)
    if "python" in options.areas:
        scores.append(run_python(options))
    print(*scores, sep="\n")


def sampled(jobs: list[str], options: argparse.Namespace) -> list[str]:
    """Draw the sample: the same for the same code and seed."""
    if not options.sample or options.sample >= len(jobs):
        return jobs
    return sorted(random.Random(options.seed).sample(sorted(jobs), options.sample))


def score(area: str, of: int, caught: int, slow: int, missed: int) -> str:
    """Give the share that was caught, with its standard error as a sample."""
    tried = caught + slow + missed
    share = (caught + slow) / max(tried, 1)
    error = math.sqrt(share * (1 - share) / max(tried, 1))
    return (
        f"{area}: {share:.1%} caught (standard error {error:.1%}): {caught} by a test, {slow} by the time limit, "
        f"{missed} survived; {tried} that compile, of {of} possible changes"
    )


def run_crate(areas: list[str], options: argparse.Namespace) -> list[str]:
    """Run cargo-mutants on modules of the crate, in stages."""
    out = OUT / "crate"
    survivors = OUT / "survivors.txt"
    listed = subprocess.run(
        ["cargo", "mutants", "--list", "--json"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    ).stdout
    lines = {mutant["name"]: (mutant["file"], mutant["span"]["start"]["line"]) for mutant in json.loads(listed)}
    every = {area: [name for name in lines if name.startswith(f"rust/mindgap/src/{area}/")] for area in areas}
    if options.again:
        tried = set(survivors.read_text().splitlines()) & set(lines)
    else:
        tried = {name for area in areas for name in sampled(every[area], options)}
    shutil.rmtree(out, ignore_errors=True)
    ended: dict[str, str] = {}
    for stage, tests in enumerate(STAGES):
        if left := [name for name in tried if ended.get(name, "missed") == "missed"]:
            ended |= mutate({name: lines[name] for name in left}, out / str(stage), tests)
    left = sorted(name for name in tried if ended.get(name) == "missed")
    survivors.write_text("".join(f"{name}\n" for name in left))
    print(*left, sep="\n")
    counts = {area: Counter(ended.get(name) for name in tried.intersection(every[area])) for area in areas}
    return [
        score(area, len(every[area]), count["caught"], count["timeout"], count["missed"])
        for area, count in counts.items()
    ]


def mutate(lines: dict[str, tuple[str, int]], out: Path, tests: list[str]) -> dict[str, str]:
    """Try the changes of these names against a group of the crate's tests, and say how each ended."""
    out.mkdir(parents=True)
    TREES.mkdir(exist_ok=True)
    # Tests compare with measured results beside the repository, where there are any.
    if (shared := ROOT.parent / "shared").exists() and not (TREES / "shared").exists():
        (TREES / "shared").symlink_to(shared)
    (out / "lines.diff").write_text(touching(set(lines.values())))
    tool = "nextest" if NEXTEST else "cargo"
    command = [
        "cargo",
        "mutants",
        "--test-tool",
        tool,
        "--output",
        str(out),
        "--no-times",
        "--colors",
        "never",
        "--shuffle",
    ]
    # Its filter by name lets some kinds of change through, its filter by lines does not.
    command += ["--in-diff", str(out / "lines.diff")]
    command += [argument for name in sorted(lines) for argument in ("--re", f"^{re.escape(name)}$")]
    # Its exit code says whether a change survived or took too long.
    done = subprocess.run([*command, "--", *tests], cwd=ROOT, env=os.environ | ENVIRONMENT, check=False)
    if done.returncode not in (0, 2, 3):
        sys.exit(f"cargo-mutants ended with {done.returncode}")
    kinds = ("caught", "missed", "timeout", "unviable")
    return {name: kind for kind in kinds for name in (out / "mutants.out" / f"{kind}.txt").read_text().splitlines()}


def touching(places: set[tuple[str, int]]) -> str:
    """Write a diff whose new lines are these."""
    diff = []
    for file in sorted({file for file, _ in places}):
        text = (ROOT / file).read_text().splitlines()
        diff += [f"--- a/{file}", f"+++ b/{file}"]
        for added, line in enumerate(sorted(line for name, line in places if name == file)):
            diff += [f"@@ -{line - added - 1},0 +{line},1 @@", f"+{text[line - 1]}"]
    return "\n".join(diff) + "\n"


def run_python(options: argparse.Namespace) -> str:
    """Run cosmic-ray, which changes files in place, in a copy of the package."""
    copy = OUT / "python"
    if not options.again:
        shutil.rmtree(copy, ignore_errors=True)
    copied = ["python", "tests", "docs", "pyproject.toml", "README.md"]
    listed = subprocess.check_output(["git", "ls-files", *copied], cwd=ROOT, text=True)
    modules = [str(path.relative_to(ROOT)) for path in (ROOT / "python/mindgap").glob("_core.*.so")]
    for name in [*listed.splitlines(), *modules]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    shutil.copy2(ROOT / "tools/mutants.toml", copy)
    environment = os.environ | {"PYTHONPATH": str(copy / "python"), "PYTHONDONTWRITEBYTECODE": "1"}

    def cosmic_ray(*command: str) -> None:
        subprocess.run(command, cwd=copy, env=environment, check=True)

    settings, session = "mutants.toml", "session.sqlite"
    if options.again:
        with sqlite3.connect(copy / session) as database:
            database.execute("DELETE FROM work_results WHERE test_outcome = 'SURVIVED'")
    else:
        cosmic_ray("cosmic-ray", "init", settings, session)
        cosmic_ray("cr-filter-operators", session, settings)
    # Tests that fail without a change would catch everything.
    cosmic_ray("cosmic-ray", "baseline", settings)
    with sqlite3.connect(copy / session) as database:
        of = 0 if options.again else keep_sample(database, options)
    cosmic_ray("cosmic-ray", "exec", settings, session)
    cosmic_ray("cr-report", "--show-diff", "--surviving-only", session)
    with sqlite3.connect(copy / session) as database:
        count = dict(
            database.execute("SELECT test_outcome, count(*) FROM work_results GROUP BY test_outcome").fetchall()
        )
    return score("python", of, count.get("KILLED", 0), 0, count.get("SURVIVED", 0))


def keep_sample(database: sqlite3.Connection, options: argparse.Namespace) -> int:
    """Keep a sample of what the filter left; return of how many."""
    left = "SELECT job_id FROM mutation_specs WHERE job_id NOT IN (SELECT job_id FROM work_results)"
    order = "ORDER BY module_path, start_pos_row, start_pos_col, operator_name, operator_args"
    jobs = [job for (job,) in database.execute(f"{left} {order}").fetchall()]
    # Job identifiers are random: draw places.
    places = [str(place) for place in range(len(jobs))]
    database.execute("CREATE TEMPORARY TABLE kept (job_id)")
    database.executemany("INSERT INTO kept VALUES (?)", [(jobs[int(place)],) for place in sampled(places, options)])
    for table in ("work_results", "mutation_specs", "work_items"):
        database.execute(f"DELETE FROM {table} WHERE job_id NOT IN (SELECT job_id FROM kept)")
    return len(jobs)


if __name__ == "__main__":
    main()
