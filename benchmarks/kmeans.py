"""K-means against its peers: unconstrained, separated, free centres."""

from __future__ import annotations

from dataclasses import replace

from jobs import DELTA, EXACT_PEERS
from rich.console import Console
from rich.table import Table
from trial import Trial, run

#: The authors' R program and gfpop on a machine of this kind, in seconds (the design notes give the source).
AUTHORS_500 = 0.42
GFPOP_2000 = 5.6


def unconstrained(console: Console, sizes: list[int], ks: list[int]) -> None:
    """The fastest exact peer over ours, for each size and number of clusters."""
    table = Table(title="Unconstrained k-means, Model D: seconds, ratio to the fastest exact peer, MB above the data")
    for column in ("N", "K", "mindgap", "MB", *EXACT_PEERS, "scikit-learn", "ratio"):
        table.add_column(column, justify="right")
    left_out: list[Trial] = []
    for n in sizes:
        for k in ks:
            ours = run("mindgap_kmeans", n, k)
            peers = [_peer(peer, n, k, left_out) for peer in EXACT_PEERS]
            lloyd = _peer("scikit_learn", n, k, left_out)
            left_out += [trial for trial in (*peers, lloyd) if trial.failure]
            best = min((trial.seconds for trial in peers if trial.seconds is not None), default=None)
            cells = [f"{n:.0e}", str(k), _seconds(ours), _megabytes(ours), *map(_seconds, peers), _seconds(lloyd)]
            table.add_row(*cells, f"{best / ours.seconds:.1f}" if best and ours.seconds else "-")
    console.print(table)
    for trial in left_out:
        console.print(f"left out: {trial.job} at N={trial.n:.0e}, K={trial.k}: {trial.failure}", highlight=False)


def _peer(job: str, n: int, k: int, left_out: list[Trial]) -> Trial:
    """A peer's trial, unless it has failed on a smaller problem already."""
    for failed in left_out:
        if failed.job == job and failed.n <= n and failed.k <= k:
            return replace(failed, n=n, k=k, failure=f"as at N={failed.n:.0e}, K={failed.k}: {failed.failure}")
    return run(job, n, k, repeats=1 if n * k > 10**7 else 3)


def separated(console: Console, sizes: list[int]) -> None:
    """Growth with N, the price of an upper bound, and two reference points."""
    table = Table(title=f"Separated k-means (centres are means), Model D, δ={DELTA}, K=5")
    for column in ("N", "lower bound", "MB", "proven", "two-sided", "proven", "two-sided / lower"):
        table.add_column(column, justify="right")
    lower = {n: run("mindgap_lower", n, 5) for n in sizes}
    for n in sizes:
        both = run("mindgap_two_sided", n, 5)
        cells = [f"{n:.0e}", _seconds(lower[n]), _megabytes(lower[n]), str(lower[n].optimal)]
        table.add_row(*cells, _seconds(both), str(both.optimal), _ratio(both, lower[n]))
    console.print(table)
    ckwrap = run("ckwrap", 10**6, 5)
    if 500 in lower and lower[500].seconds:
        console.print(f"N=500: {AUTHORS_500 / lower[500].seconds:.0f} times as fast as the authors' {AUTHORS_500} s")
    if 10**5 in lower:
        console.print(f"N=1e5: {_ratio(lower[10**5], ckwrap)} of ckwrap's unconstrained N=1e6")


def free(console: Console, sizes: list[int]) -> None:
    """Free centres: growth with N and with K."""
    table = Table(title=f"Free centres, Model D, δ={DELTA}, K=5 (last row: K=50, δ to bite)")
    for column in ("N", "K", "seconds", "MB", "proven", "/ ckwrap unconstrained N=1e6, K=5"):
        table.add_column(column, justify="right")
    ckwrap = run("ckwrap", 10**6, 5)
    trials = [run("mindgap_free", n, 5) for n in sizes] + [run("mindgap_free_dense", 10**6, 50)]
    for trial in trials:
        cells = [f"{trial.n:.0e}", str(trial.k), _seconds(trial), _megabytes(trial), str(trial.optimal)]
        table.add_row(*cells, _ratio(trial, ckwrap))
    console.print(table)
    at_2000 = next((trial.seconds for trial in trials if trial.n == 2000), None)
    if at_2000:
        console.print(f"N=2000: {GFPOP_2000 / at_2000:.0f} times as fast as gfpop's {GFPOP_2000} s")


def _seconds(trial: Trial) -> str:
    return "-" if trial.seconds is None else f"{trial.seconds:.3g}"


def _megabytes(trial: Trial) -> str:
    return "-" if trial.megabytes is None else f"{trial.megabytes:.0f}"


def _ratio(one: Trial, other: Trial) -> str:
    return f"{one.seconds / other.seconds:.2g}" if one.seconds and other.seconds else "-"
