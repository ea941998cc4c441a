"""K-means against its peers: unconstrained, separated, free centres."""

from __future__ import annotations

from jobs import DELTA, EXACT_PEERS
from rich.console import Console
from rich.table import Table
from trial import Trial, run

#: The authors' R program and gfpop on a machine of this kind, in seconds (the design notes give the source).
AUTHORS_500 = 0.42
GFPOP_2000 = 5.6


#: Beyond this many points times clusters only the fastest peer that takes so many clusters is run.
MOST_WORK = 10**6


def unconstrained(console: Console, sizes: list[int], ks: list[int]) -> list[tuple[Trial, Trial, float | None]]:
    """The fastest exact peer over ours, and ours over a sort, for each size and number of clusters.

    Returns ours, the sort and the seconds of the fastest peer, for a picture.
    """
    table = Table(title="Unconstrained k-means, Model D: seconds; fastest exact peer / mindgap; mindgap / np.sort")
    for column in ("N", "K", "mindgap", "MB", *EXACT_PEERS, "ratio", "np.sort", "/ sort"):
        table.add_column(column, justify="right")
    left_out: list[Trial] = []
    drawn = []
    for n in sizes:
        sort = run("np_sort", n, 1)
        for k in ks:
            ours = run("mindgap_kmeans", n, k, repeats=10 if n <= 10**5 else 3)
            peers = [_peer(peer, n, k) for peer in EXACT_PEERS]
            left_out += [trial for trial in peers if trial.failure]
            best = min((trial.seconds for trial in peers if trial.seconds is not None), default=None)
            cells = [f"{n:.0e}", str(k), _seconds(ours), _megabytes(ours), *map(_seconds, peers)]
            ratio = f"{best / ours.seconds:.1f}" if best and ours.seconds else "-"
            table.add_row(*cells, ratio, _seconds(sort), _ratio(ours, sort))
            drawn.append((ours, sort, best))
    console.print(table)
    reasons = sorted({f"{trial.job}: {trial.failure}" for trial in left_out})
    for reason in reasons:
        console.print(f"left out: {reason}", highlight=False)
    return drawn


#: The most clusters that ckmeans takes.
CKMEANS_MOST = 255


def _peer(job: str, n: int, k: int) -> Trial:
    """A peer's trial, where it does not take too long."""
    fastest = "ckmeans" if k <= CKMEANS_MOST else "ckwrap"
    if job == "ckmeans" and k > CKMEANS_MOST:
        return Trial(job, n, k, None, None, None, f"takes no more than {CKMEANS_MOST} clusters")
    if job != fastest and n * k > MOST_WORK:
        return Trial(job, n, k, None, None, None, f"run only up to N·K = {MOST_WORK:.0e}; {fastest} is faster")
    return run(job, n, k, repeats=1 if n * k > MOST_WORK else 3)


def rows(console: Console, count: int) -> None:
    """Each row of a matrix by itself: in one call, and in loops."""
    table = Table(title=f"{count} rows of 4096 in single precision, K=16, weighted: milliseconds a row")
    for column in ("how", "ms a row", "/ kmeans_rows"):
        table.add_column(column, justify="right")
    ours = run("mindgap_rows", count * 4096, 16)
    loops = ("mindgap_row_by_row", "ckmeans_row_by_row", "scikit_learn_row_by_row")
    for trial in (ours, *(run(job, min(count, 32) * 4096, 16, repeats=1) for job in loops)):
        each = None if trial.seconds is None else 1e3 * trial.seconds / (trial.n // 4096)
        base = None if ours.seconds is None else 1e3 * ours.seconds / count
        ratio = f"{each / base:.1f}" if each and base else "-"
        table.add_row(trial.job, "-" if each is None else f"{each:.3g}", ratio)
    console.print(table)


def breaks(console: Console, sizes: list[int]) -> None:
    """Natural breaks, as maps ask for them."""
    table = Table(title="Natural breaks, Model D, K=5: seconds")
    for column in ("N", "mindgap", "jenkspy"):
        table.add_column(column, justify="right")
    for n in sizes:
        # Its time grows with N², and so does its memory.
        peer = _seconds(run("jenkspy", n, 5, repeats=1)) if n <= 2 * 10**4 else "-"
        table.add_row(f"{n:.0e}", _seconds(run("mindgap_breaks", n, 5)), peer)
    console.print(table)


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


def free(console: Console, sizes: list[int], hardest: bool) -> None:
    """Free centres: growth with N and with K, and the worst case if asked for."""
    table = Table(title=f"Free centres, Model D, δ={DELTA}, K=5 (if K=50, δ to bite)")
    for column in ("N", "K", "seconds", "MB", "proven", "/ ckwrap unconstrained N=1e6, K=5"):
        table.add_column(column, justify="right")
    ckwrap = run("ckwrap", 10**6, 5)
    trials = [run("mindgap_free", n, 5) for n in sizes]
    if hardest:
        trials.append(run("mindgap_free_dense", 10**6, 50))
    for trial in trials:
        cells = [f"{trial.n:.0e}", str(trial.k), _seconds(trial), _megabytes(trial), str(trial.optimal)]
        table.add_row(*cells, _ratio(trial, ckwrap))
    console.print(table)
    at_2000 = next((trial.seconds for trial in trials if trial.n == 2000), None)
    if at_2000:
        console.print(f"N=2000: {GFPOP_2000 / at_2000:.0f} times as fast as gfpop's {GFPOP_2000} s")


def quantiser(console: Console, sizes: list[int], ks: list[int]) -> None:
    """Levels of a quantiser: without a bound beside the peers, and with one that three in ten gaps would break."""
    table = Table(title="Levels of a quantiser, Model D: seconds (cost over that of mindgap without a bound)")
    for column in ("N", "K", "mindgap", "with a gap", "proven", "ckmeans", "ckwrap", "kmeans1d", "scikit-learn"):
        table.add_column(column, justify="right")
    left_out: list[Trial] = []
    for n in sizes:
        for k in ks:
            ours, levels = run("mindgap_kmeans", n, k), run("mindgap_levels", n, k)
            peers = [_peer(peer, n, k) for peer in ("ckmeans", "ckwrap", "kmeans1d", "scikit_learn")]
            left_out += [trial for trial in peers if trial.failure]
            cells = [f"{n}", str(k), _seconds(ours), _beside(levels, ours), str(levels.optimal)]
            table.add_row(*cells, *(_beside(peer, ours) for peer in peers))
    console.print(table)
    for trial in left_out:
        console.print(f"left out: {trial.job} at N={trial.n}, K={trial.k}: {trial.failure}", highlight=False)


def sized(console: Console, sizes: list[int]) -> None:
    """Clusters of nearly one size, beside k-means-constrained, which alternates."""
    table = Table(title="Sizes between 0.8 and 1.2 times N/K, Model D, K=5: seconds (cost over that of mindgap)")
    for column in ("N", "mindgap", "proven", "k-means-constrained", "ratio"):
        table.add_column(column, justify="right")
    for n in sizes:
        ours, peer = run("mindgap_sized", n, 5), run("k_means_constrained", n, 5, repeats=1)
        table.add_row(str(n), _seconds(ours), str(ours.optimal), _beside(peer, ours), _ratio(peer, ours))
    console.print(table)


def _beside(trial: Trial, ours: Trial) -> str:
    ratio = f" ({trial.cost / ours.cost:.4f})" if trial.cost and ours.cost else ""
    return _seconds(trial) + ratio


def _seconds(trial: Trial) -> str:
    return "-" if trial.seconds is None else f"{trial.seconds:.3g}"


def _megabytes(trial: Trial) -> str:
    return "-" if trial.megabytes is None else f"{trial.megabytes:.0f}"


def _ratio(one: Trial, other: Trial) -> str:
    return f"{one.seconds / other.seconds:.2g}" if one.seconds and other.seconds else "-"
