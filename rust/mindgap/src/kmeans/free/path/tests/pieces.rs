//! Pieces of curves against all their values.

use super::super::piece::{CenterPiece, CostParabola, append_lower};
use super::super::queue::PieceQueue;
use super::*;

/// A piece whose cluster starts with one of the first nodes.
fn piece(random: &mut impl FnMut() -> f64, (from, to): (f64, f64), starts: usize, beginning: u32) -> CenterPiece {
    let start = (starts as f64 * random()) as u32;
    let level = random();
    let flat = CenterPiece::flat((from, to), level, start, beginning);
    if random() < 0.4 {
        return flat;
    }
    let before = CostParabola { level, slope: 2.0 * random() - 1.0, bend: 3.0 * random() };
    CenterPiece { before, origin: from + (to - from) * random(), ..flat }
}

fn nodes(random: &mut impl FnMut() -> f64, n: usize) -> PathNodes {
    let (x, w): (Vec<f64>, Vec<f64>) = (0..n).map(|_| (random(), 0.05 + 0.3 * random())).unzip();
    let sample = Sample::weighted(&x, &w).unwrap();
    PathNodes::all(&Prefixes::new(&sample), true)
}

/// The minimum of two curves has the lower of their values wherever one of them has any.
#[test]
fn the_lower_of_two_curves_is_lower_everywhere() {
    const PLACES: usize = 400;
    let mut random = random(71);
    let mut crossed = 0;
    for _ in 0..300 {
        let nodes = nodes(&mut random, 8);
        let mut curve = |first: u32| {
            let (mut pieces, mut at) = (Vec::new(), 0.3 * random());
            while pieces.len() < 6 {
                let to = at + 0.4 * random();
                pieces.push(piece(&mut random, (at, to), 6, first + pieces.len() as u32));
                at = to + if random() < 0.3 { 0.1 * random() } else { 0.0 };
            }
            pieces
        };
        let (f, g) = (curve(0), curve(100));
        let (mut ending, mut lower) = (nodes.ending(8), Vec::new());
        append_lower(&mut ending, &f, &g, &mut lower);
        crossed +=
            usize::from(lower.windows(2).filter(|pair| pair[0].beginning / 100 != pair[1].beginning / 100).count() > 2);
        assert!(lower.iter().all(|piece| piece.from < piece.to));
        assert!(lower.windows(2).all(|pair| pair[0].to <= pair[1].from));
        for i in 0..PLACES {
            let place = 2.5 * (i as f64 + 0.123) / PLACES as f64;
            let mut at = |pieces: &[CenterPiece]| {
                let here = pieces.iter().filter(|piece| piece.from <= place && place <= piece.to);
                here.map(|piece| piece.until(&mut ending, place).level).fold(f64::INFINITY, f64::min)
            };
            let (found, expected) = (at(&lower), at(&f).min(at(&g)));
            assert!(found == expected || (found - expected).abs() < 1e-11, "{found} is not {expected} at {place}");
        }
    }
    assert!(crossed > 200, "{crossed} of 300 cross several times");
}

/// The queue has the best of all its pieces, whenever they came and however late they become the best.
#[test]
fn the_best_piece_of_a_queue_is_the_best_of_all() {
    let mut random = random(73);
    let mut changes = 0;
    for round in 0..400 {
        let n = 8 + (60.0 * random()) as usize;
        let nodes = nodes(&mut random, n);
        let reach = if round % 3 == 0 { 0.5 + 2.0 * random() } else { f64::INFINITY };
        let mut queue = PieceQueue::new(&nodes, reach);
        let (mut pieces, mut at, mut last) = (Vec::new(), nodes.x[0] - 3.0, None);
        for end in 4..n {
            // Left of all nodes, and to the right of those before.
            for _ in 0..(3.0 * random().powi(2)) as usize {
                let to = at + 0.3 * (nodes.x[0] - at) * random();
                let mut piece = piece(&mut random, (at, to), 4, pieces.len() as u32);
                // Costs more the farther right it is, so that it becomes the best late.
                piece.before.level += 0.5 * n as f64 * (to - nodes.x[0] + 3.0) * random();
                queue.push(piece, end);
                pieces.push(piece);
                at = to;
            }
            let cost = |piece: &CenterPiece| {
                let from = piece.from.max(nodes.x[end] - reach);
                if from > piece.to { f64::INFINITY } else { piece.lowest(&mut nodes.ending(end), from, piece.to).1 }
            };
            let expected = pieces.iter().map(cost).fold(f64::INFINITY, f64::min);
            match queue.best(end) {
                None => assert_eq!(expected, f64::INFINITY, "round {round}: nothing at {end}"),
                Some((center, found, beginning)) => {
                    assert!((found - expected).abs() <= 1e-12 * expected, "round {round}: {found} is not {expected}");
                    let piece = &pieces[beginning as usize];
                    assert!(piece.from <= center && center <= piece.to);
                    changes += usize::from(last.is_some_and(|last| last != beginning));
                    last = Some(beginning);
                }
            }
        }
    }
    assert!(changes > 400, "the best piece changes {changes} times");
}
