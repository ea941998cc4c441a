//! Certificates of problems with known best likelihoods, and what cannot be certified.

use mindgap::{
    CertifyOptions, GapBounds, Halt, LinearRows, Mixture, MixtureError, Monitor, Parameters, Progress, Sample,
    VarianceModel,
};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Problems with at most three components, where `../shared` is there.
#[test]
#[ignore = "slow"]
fn no_known_likelihood_is_above_its_bound() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracle/mixtures.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("{path} is not there");
        return;
    };
    let entries: Vec<Value> = serde_json::from_str(&text).unwrap();
    let data: HashMap<&str, Vec<f64>> = entries
        .iter()
        .filter(|entry| entry.get("values").is_some())
        .map(|entry| (entry["data"].as_str().unwrap(), numbers(&entry["values"])))
        .collect();
    for entry in entries.iter().filter(|entry| entry.get("k").is_some_and(|k| k == 2 || k == 3)) {
        let sample = Sample::new(&data[entry["data"].as_str().unwrap()]).unwrap();
        let start =
            Parameters::new(&numbers(&entry["weights"]), &numbers(&entry["means"]), &numbers(&entry["variances"]));
        let start = start.unwrap();
        let mut mixture =
            Mixture::new(start.k()).constraint(GapBounds::lower(entry["delta"].as_f64().unwrap())).init(start);
        mixture = match entry["ratio"].as_f64().unwrap() {
            1.0 => mixture.variances(VarianceModel::Equal),
            ratio => mixture.spread_ratio(ratio),
        };
        let fit = mixture.fit(&sample).unwrap();
        let known = entry["log_likelihood"].as_f64().unwrap();
        let certificate = mixture.certify(&sample, &fit, CertifyOptions::default(), &mut Monitor::default()).unwrap();
        let bound = certificate.upper_bound().expect("closed");
        assert!(known <= bound && fit.log_likelihood() <= bound, "{entry}: {bound}");
        assert!(bound <= certificate.log_likelihood() + 0.1001, "{entry}: {bound}");
        assert!(certificate.log_likelihood() >= known - 1e-3, "{entry}: {}", certificate.log_likelihood());
    }
}

/// Nodes stand for many points, but not in a proof that is written out.
#[test]
fn a_proof_is_about_the_points() {
    let values: Vec<f64> = (0..30_000).map(|i| f64::from(i).sqrt()).collect();
    let sample = Sample::new(&values).unwrap();
    let mixture = Mixture::new(1);
    let fit = mixture.fit(&sample).unwrap();
    let certify = |record| {
        let options = CertifyOptions { record, ..CertifyOptions::default() };
        mixture.certify(&sample, &fit, options, &mut Monitor::default()).unwrap()
    };
    let (over_nodes, over_points) = (certify(false), certify(true));
    let proof: Value = serde_json::from_str(over_points.proof().unwrap()).unwrap();
    assert_eq!(numbers(&proof["values"]).len(), values.len());
    assert_eq!(over_nodes.proof(), None);
    let difference = over_nodes.upper_bound().unwrap() - over_points.upper_bound().unwrap();
    assert!(difference.abs() < 1e-3, "{difference}");
}

#[test]
fn what_cannot_be_certified_is_refused() {
    let sample = Sample::new(&[0.0, 1.0, 1.5, 4.0, 5.0, 5.5]).unwrap();
    let reason = |mixture: Mixture, sample: &Sample| {
        let fit = mixture.fit(sample).unwrap();
        match mixture.certify(sample, &fit, CertifyOptions::default(), &mut Monitor::default()) {
            Err(MixtureError::NotCertifiable { reason }) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert!(reason(Mixture::new(2).spread_ratio(f64::INFINITY), &sample).contains("no maximum"));
    let rows = LinearRows::new(2, &[1.0, 1.0], &[0.0], &[10.0]).unwrap();
    assert!(reason(Mixture::new(2).variances(VarianceModel::Equal).constraint(rows), &sample).contains("gaps"));
    let heavy = Sample::weighted(sample.values(), &[1e280; 6]).unwrap();
    assert!(reason(Mixture::new(2).variances(VarianceModel::Equal), &heavy).contains("weights"));
    let two = Sample::new(&[0.0, 1.0, 1.0]).unwrap();
    assert!(reason(Mixture::new(2).variances(VarianceModel::Equal), &two).contains("distinct"));
}

#[test]
fn a_certificate_that_is_stopped_says_so() {
    let x: Vec<f64> = (0..200).map(|i| f64::from(i * i % 97) * 0.1).collect();
    let sample = Sample::new(&x).unwrap();
    let mixture = Mixture::new(3).spread_ratio(5.0);
    let fit = mixture.fit(&sample).unwrap();
    let mut monitor = Monitor::default().time_limit(Duration::ZERO);
    let certificate = mixture.certify(&sample, &fit, CertifyOptions::default(), &mut monitor).unwrap();
    assert_eq!(certificate.upper_bound(), None);
    assert_eq!(certificate.halted(), Some(Halt::TimeLimit));
    assert_eq!(certificate.parameters().k(), 3);
}

/// The first batch of regions takes seconds here, and the monitor is asked in the meantime.
#[test]
fn an_interruption_does_not_wait_for_a_batch_of_regions() {
    let x: Vec<f64> = (0..20_000).map(|i| f64::from(i).sqrt()).collect();
    let sample = Sample::new(&x).unwrap();
    let mixture = Mixture::new(2).variances(VarianceModel::Equal);
    let fit = mixture.fit(&sample).unwrap();
    let mut batches = 0;
    let mut monitor = Monitor::new(|progress: &Progress| {
        batches += usize::from(matches!(progress, Progress::Certificate { .. }));
        let working = batches > 0 && matches!(progress, Progress::Working);
        if working { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let options = CertifyOptions { record: true, ..CertifyOptions::default() };
    let certificate = mixture.certify(&sample, &fit, options, &mut monitor).unwrap();
    drop(monitor);
    assert_eq!((certificate.halted(), certificate.upper_bound()), (Some(Halt::Interrupted), None));
    assert_eq!(batches, 1);
}

/// Many points become few nodes; the bound is that of the points, whose proof is about themselves.
#[test]
fn nodes_in_place_of_points_bound_the_same() {
    let x: Vec<f64> = (0..6000)
        .map(|i| {
            let share = (f64::from(i) + 0.5) / 6000.0;
            (share / (1.0 - share)).ln() + 5.0 * f64::from(i % 2)
        })
        .collect();
    let sample = Sample::new(&x).unwrap();
    for mixture in [Mixture::new(2).variances(VarianceModel::Equal), Mixture::new(2).spread_ratio(3.0)] {
        let mixture = mixture.constraint(GapBounds::lower(5.1));
        let fit = mixture.fit(&sample).unwrap();
        let certify = |record: bool| {
            let options = CertifyOptions { record, ..CertifyOptions::default() };
            mixture.certify(&sample, &fit, options, &mut Monitor::default()).unwrap()
        };
        let (nodes, points) = (certify(false), certify(true));
        let (above, exact) = (nodes.upper_bound().unwrap(), points.upper_bound().unwrap());
        assert!((nodes.log_likelihood() - fit.log_likelihood()).abs() < 1e-3);
        assert!((above - exact).abs() < 1e-3, "{above} {exact}");
        assert!(fit.log_likelihood() <= above && above <= fit.log_likelihood() + 0.101);
    }
}

/// Far from zero and at another scale the certificate is that of the same data.
#[test]
fn units_do_not_matter() {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i % 2) * 4.0 + f64::from(i * 7 % 10) * 0.1).collect();
    let certify = |scale: f64, shift: f64| {
        let moved: Vec<f64> = x.iter().map(|x| x * scale + shift).collect();
        let sample = Sample::new(&moved).unwrap();
        let mixture = Mixture::new(2).variances(VarianceModel::Equal).constraint(GapBounds::lower(4.5 * scale));
        let fit = mixture.fit(&sample).unwrap();
        let options = CertifyOptions { record: true, ..CertifyOptions::default() };
        let mut reported = f64::NAN;
        let mut monitor = Monitor::new(|progress: &Progress| {
            if let Progress::Certificate { log_likelihood, .. } = progress {
                reported = *log_likelihood;
            }
            ControlFlow::Continue(())
        });
        let certificate = mixture.certify(&sample, &fit, options, &mut monitor).unwrap();
        drop(monitor);
        assert!(certificate.proof().unwrap().contains("\"values\":["));
        assert!((certificate.log_likelihood() - fit.log_likelihood()).abs() < 1e-6);
        assert!((certificate.log_likelihood() - reported).abs() < 1e-6);
        certificate.upper_bound().unwrap() + 60.0 * scale.ln()
    };
    let plain = certify(1.0, 0.0);
    assert!((certify(1e-6, 0.0) - plain).abs() < 1e-3);
    assert!((certify(1.0, 1e6) - plain).abs() < 1e-3);
}
