//! Unproven fits, interruptions and refusals.

use super::*;

/// Atoms that cannot be made finer leave a fit with a bound.
fn assert_what_cannot_be_seen_is_not_claimed(rounds: u64) {
    let mut left = 0;
    for seed in 0..rounds {
        let mut random = random(seed + 9000);
        let (points, atoms) = case(&mut random, 14);
        let range = points.x[points.x.len() - 1] - points.x[0];
        let centers = if random() < 0.5 { Centers::Free } else { Centers::Means };
        let kmeans = KMeans::new(2).constraint(gaps(&mut random, 2, range)).centers(centers);
        let blind = |windows: &[(f64, f64)]| {
            let whole = |window: &(f64, f64)| vec![*atoms.iter().find(|atom| atom.low == window.0).unwrap()];
            Ok(windows.iter().map(whole).collect())
        };
        let sample = Sample::of_atoms(atoms.clone()).unwrap();
        match (kmeans.fit_refining(sample, &mut { blind }, &mut Monitor::default()), kmeans.fit(&points.sample())) {
            (Ok((fit, _)), Ok(truth)) => {
                assert!(fit.lower_bound() <= truth.inertia() * (1.0 + 1e-9) + 1e-20, "seed {seed}");
                assert!(!fit.is_optimal() || fit.inertia() <= truth.inertia() * (1.0 + 2e-9) + 1e-20, "seed {seed}");
                left += u64::from(!fit.is_optimal());
            }
            (Err(KMeansError::Undecided | KMeansError::TooCoarse { .. }), _) => {}
            (fit, truth) => assert!(same_kind(&fit.unwrap_err(), truth.as_ref().err()), "seed {seed}: {truth:?}"),
        }
    }
    assert!(left > rounds / 10, "{left}");
}

#[test]
fn what_cannot_be_seen_is_not_claimed() {
    assert_what_cannot_be_seen_is_not_claimed(200);
}

#[test]
#[ignore = "slow"]
fn what_cannot_be_seen_is_not_claimed_many_times() {
    assert_what_cannot_be_seen_is_not_claimed(1000);
}

#[test]
fn a_source_that_fails_or_changes_is_an_error() {
    let points = PointsBehind::new((0..40).map(|i| (f64::from(i * i % 37), 1.0)).collect(), false, 4);
    let sample = Sample::of_atoms(points.atoms(0..40, [13, 26].into_iter())).unwrap();
    let fault = |zoom: Zoom<'_>| match KMeans::new(2).fit_refining(sample.clone(), zoom, &mut Monitor::default()) {
        Err(KMeansError::Source(fault)) => fault.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(fault(&mut |_| Err("gone".into())), "gone");
    assert!(fault(&mut |_| Ok(Vec::new())).contains("0 given"));
    let fewer = |windows: &[(f64, f64)]| {
        let mut shown = points.zoom(windows);
        shown[0].pop();
        Ok(shown)
    };
    assert!(fault(&mut { fewer }).contains("must not change"));
}

#[test]
fn a_watcher_sees_bounds_close_and_stops_the_fit() {
    let (points, atoms) = lumps(5000, 4);
    let sample = Sample::of_atoms(atoms).unwrap();
    let mut zoom = |windows: &[(f64, f64)]| Ok(points.zoom(windows));
    let mut seen = Vec::new();
    let mut watch = |progress: &crate::Progress| {
        if let crate::Progress::Search { cost, lower_bound } = *progress {
            assert!(cost.is_none_or(|cost| lower_bound <= cost));
            seen.push((cost.unwrap_or(f64::INFINITY), lower_bound));
        }
        std::ops::ControlFlow::Continue(())
    };
    let kmeans = KMeans::new(4).centers(Centers::Means).constraint(GapBounds::lower(3.0));
    let (fit, _) = kmeans.fit_refining(sample.clone(), &mut zoom, &mut Monitor::new(&mut watch)).unwrap();
    let closes = |pair: &[(f64, f64)]| pair[1].0 <= pair[0].0 * (1.0 + 1e-12) && pair[0].1 <= pair[1].1 * (1.0 + 1e-12);
    assert!(seen.windows(2).all(closes), "{seen:?}");
    assert_eq!(seen.last().map(|last| last.0), Some(fit.inertia()));
    let mut stop = |_: &crate::Progress| std::ops::ControlFlow::Break(());
    assert_eq!(
        kmeans.fit_refining(sample, &mut zoom, &mut Monitor::new(&mut stop)).unwrap_err(),
        KMeansError::Interrupted
    );
}

#[test]
fn the_papers_program_needs_the_points() {
    let sample = Sample::of_atoms(lumps(100, 4).1).unwrap();
    assert!(matches!(
        KMeans::new(2).centers(Centers::Means).method(KMeansMethod::Paper).fit(&sample),
        Err(KMeansError::Unsupported(_))
    ));
}

#[test]
fn fewer_windows_take_more_passes_to_the_same_optimum() {
    let (points, atoms) = lumps(20_000, 16);
    let optimum = KMeans::new(7).fit(&points.sample()).unwrap().inertia();
    let passes = |most: usize| {
        let mut asked = Vec::new();
        let mut zoom = |atoms: &[Atom], _: &[f64]| {
            asked.push(atoms.len());
            let mut groups = AtomGroups::default();
            let windows: Vec<(f64, f64)> = atoms.iter().map(|atom| (atom.low, atom.high)).collect();
            points.zoom(&windows).into_iter().for_each(|group| groups.push(group));
            Ok(groups)
        };
        let sample = Sample::of_atoms(atoms.clone()).unwrap();
        let (fit, _) = KMeans::new(7).fit_in_windows(sample, &mut zoom, most, &mut Monitor::default()).unwrap();
        assert!(fit.is_optimal() && (fit.inertia() - optimum).abs() <= 1e-12 * optimum, "{most}: {fit:?}");
        asked
    };
    let all = passes(WINDOWS);
    let most = all[0].div_ceil(2);
    let halves = passes(most);
    assert!(halves.len() > all.len() && halves.iter().all(|&windows| windows <= most), "{all:?} {halves:?}");
}

/// Data that are not those of the summary, in number, weight, place or range, are refused.
#[test]
fn data_that_changed_since_their_summary_are_refused() {
    let (points, atoms) = lumps(3000, 2);
    let changes: [fn(&mut Vec<Atom>); 6] = [
        |parts| parts[0].count += 1,
        |parts| parts[0].weight *= 1.01,
        |parts| parts[0].mean += 0.01 * (parts[0].high - parts[0].low).max(0.1),
        |parts| parts[0].low -= 1e-3,
        |parts| parts.last_mut().unwrap().high += 1e-3,
        Vec::clear,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut zoom = |windows: &[(f64, f64)]| {
            let mut shown = points.zoom(windows);
            shown.iter_mut().for_each(change);
            Ok(shown)
        };
        let sample = Sample::of_atoms(atoms.clone()).unwrap();
        let fit = KMeans::new(5).fit_refining(sample, &mut zoom, &mut Monitor::default());
        assert!(matches!(fit, Err(KMeansError::Source(_))), "change {number}: {:?}", fit.map(|fit| fit.0));
    }
}
