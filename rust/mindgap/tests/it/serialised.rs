//! The feature `serde`: values come back bit by bit, and invalid ones are refused.

use mindgap::{GapBounds, KMeans, KMeansFit, LinearRows, Mixture, MixtureFit, Parameters, Sample, Summary};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn there_and_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn constraints_come_back() {
    let bounds = [
        GapBounds::lower(0.0),
        GapBounds::lower(0.1),
        GapBounds::between(1.0, 2.5).unwrap(),
        GapBounds::per_gap(&[0.5, 1.0], &[f64::INFINITY, 3.0]).unwrap(),
    ];
    for bounds in bounds {
        assert_eq!(there_and_back(&bounds), bounds);
        assert_eq!(there_and_back(&bounds), bounds);
    }
    // A bound that is missing is none.
    for (text, bounds) in [
        (r#"{"lower": 1.5}"#, GapBounds::lower(1.5)),
        (r#"{"upper": 2.0}"#, GapBounds::between(0.0, 2.0).unwrap()),
        (r#"{"lower": [1.0, 2.0]}"#, GapBounds::per_gap(&[1.0, 2.0], &[f64::INFINITY; 2]).unwrap()),
        (r#"{"upper": [1.0, null]}"#, GapBounds::per_gap(&[0.0; 2], &[1.0, f64::INFINITY]).unwrap()),
    ] {
        assert_eq!(serde_json::from_str::<GapBounds>(text).unwrap(), bounds, "{text}");
    }
    let rows = LinearRows::new(2, &[1.0, -2.0, 0.0, 1.0], &[f64::NEG_INFINITY, 1.0], &[0.0, f64::INFINITY]).unwrap();
    assert_eq!(there_and_back(&rows), rows);
}

/// As Python writes it: `mindgap.Summary.of([0.0, 1.5, 3.0, 1.5], cells=4).to_json()`.
const FROM_PYTHON: &str = r#"{"mindgap": "Summary", "version": 1, "limit": 4, "weighted": false, "exponent": 0,
    "index": [0, 1, 3], "count": [1, 2, 1], "weight": [1.0, 2.0, 1.0], "low": [0.0, 1.5, 3.0], "high": [0.0, 1.5, 3.0],
    "offset": [0.0, 0.0, 0.0], "within": [0.0, 0.0, 0.0]}"#;

#[test]
fn summaries_come_back_and_come_from_python() {
    let mut summary = Summary::with_cells(4);
    summary.add(&[0.0, 1.5, 3.0, 1.5]).unwrap();
    assert_eq!(there_and_back(&summary), summary);
    assert_eq!(serde_json::from_str::<Summary>(FROM_PYTHON).unwrap(), summary);
    let written: serde_json::Value = serde_json::from_str(&serde_json::to_string(&summary).unwrap()).unwrap();
    assert_eq!(written, serde_json::from_str::<serde_json::Value>(FROM_PYTHON).unwrap());
    let other = FROM_PYTHON.replace("\"version\": 1", "\"version\": 2");
    assert!(serde_json::from_str::<Summary>(&other).unwrap_err().to_string().contains("version"));
}

#[test]
fn fits_come_back() {
    let sample = Sample::new(&[-2.1, 1.0, 2.3, 4.0, 5.7, 6.0, 9.0, 10.9]).unwrap();
    let fit = KMeans::new(4).constraint(GapBounds::lower(1.75)).fit(&sample).unwrap();
    let back: KMeansFit = there_and_back(&fit);
    assert_eq!(back, fit);
    assert_eq!(back.predict(&[0.0, 5.0]), fit.predict(&[0.0, 5.0]));

    let fit = Mixture::new(3).constraint(GapBounds::lower(3.0)).fit(&sample).unwrap();
    let back: MixtureFit = there_and_back(&fit);
    assert_eq!((back.weights(), back.means(), back.variances()), (fit.weights(), fit.means(), fit.variances()));
    assert_eq!((back.history(), back.status(), back.labels()), (fit.history(), fit.status(), fit.labels()));
    assert_eq!((back.bic(), back.icl()), (fit.bic(), fit.icl()));
}

#[test]
fn what_the_constructors_refuse_does_not_come_in() {
    for text in [
        r#"{"lower": -1.0, "upper": null}"#,
        r#"{"lower": 2.0, "upper": 1.0}"#,
        r#"{"lower": [1.0], "upper": [2.0, 3.0]}"#,
        r#"{"lower": [1.0], "upper": 3.0}"#,
        r#"{"lower": 1.0, "upper": 3.0, "middle": 2.0}"#,
    ] {
        assert!(serde_json::from_str::<GapBounds>(text).is_err(), "{text}");
    }
    for text in [
        r#"{"k": 2, "matrix": [1.0], "lower": [0.0], "upper": [0.0]}"#,
        r#"{"k": 2, "matrix": [0.0, 0.0], "lower": [0.0], "upper": [0.0]}"#,
        r#"{"k": 2, "matrix": [1.0, 1.0], "lower": [1.0], "upper": [0.0]}"#,
    ] {
        assert!(serde_json::from_str::<LinearRows>(text).is_err(), "{text}");
    }
    for text in [
        r#"{"weights": [0.5, 0.6], "means": [0.0, 1.0], "variances": [1.0, 1.0]}"#,
        r#"{"weights": [0.5, 0.5], "means": [0.0, 1.0], "variances": [1.0, -1.0]}"#,
        r#"{"weights": [], "means": [], "variances": []}"#,
    ] {
        assert!(serde_json::from_str::<Parameters>(text).is_err(), "{text}");
    }
    let start: Parameters =
        serde_json::from_str(r#"{"weights": [0.1, 0.9], "means": [0, 1], "variances": [1, 2]}"#).unwrap();
    assert_eq!(start.weights(), [0.1, 0.9]);
}

#[test]
fn fits_that_no_fit_could_have_written_do_not_come_in() {
    let sample = Sample::new(&[-2.1, 1.0, 2.3, 4.0, 5.7, 6.0, 9.0, 10.9]).unwrap();
    let fit = Mixture::new(3).fit(&sample).unwrap();
    let written = serde_json::to_value(&fit).unwrap();
    assert_eq!(serde_json::from_value::<MixtureFit>(written.clone()).unwrap(), fit);
    for (field, value) in [
        ("history", serde_json::json!([])),
        ("history", serde_json::json!([1e308, null])),
        ("gaps", serde_json::json!([1.0])),
        ("origins", serde_json::json!([0, 1, 1])),
        ("labels", serde_json::json!([0, 3])),
        ("status", serde_json::json!("lost-weight")),
        ("degenerate", serde_json::json!([0, 7])),
        ("findings", serde_json::json!([{"code": "spike", "component": 3}])),
        ("findings", serde_json::json!([{"code": "unheard-of"}])),
        ("total_weight", serde_json::json!(-1.0)),
        ("n_parameters", serde_json::json!(9)),
        ("n_parameters", serde_json::json!(-1)),
        ("means", serde_json::json!([])),
        ("weights", serde_json::json!([1.0])),
        ("version", serde_json::json!(2)),
        ("mindgap", serde_json::json!("KMeansResult")),
    ] {
        let mut other = written.clone();
        other[field] = value.clone();
        assert!(serde_json::from_value::<MixtureFit>(other).is_err(), "{field}: {value}");
    }
    let mut unlabelled = written;
    unlabelled.as_object_mut().unwrap().remove("labels");
    assert!(serde_json::from_value::<MixtureFit>(unlabelled).unwrap().labels().is_empty());
}

#[test]
fn clusters_that_no_fit_could_have_written_do_not_come_in() {
    let sample = Sample::new(&[-2.1, 1.0, 2.3, 4.0, 5.7, 6.0, 9.0, 10.9]).unwrap();
    let fit = KMeans::new(3).constraint(GapBounds::lower(1.75)).fit(&sample).unwrap();
    let written = serde_json::to_value(&fit).unwrap();
    assert_eq!(serde_json::from_value::<KMeansFit>(written.clone()).unwrap(), fit);
    for (field, value) in [
        ("centers", serde_json::json!([])),
        ("centers", serde_json::json!([1.0, 0.0, 2.0])),
        ("boundaries", serde_json::json!([1.0])),
        ("boundaries", serde_json::json!([1.0, null])),
        ("sizes", serde_json::json!([1, 2])),
        ("within", serde_json::json!([1.0, -1.0, 0.0])),
        ("gaps", serde_json::json!([])),
        ("active", serde_json::json!(["free", "sideways"])),
        ("labels", serde_json::json!([0, 3])),
        ("labels", serde_json::json!([0, -2])),
        ("inertia", serde_json::json!(-1.0)),
        ("optimal", serde_json::json!(false)),
        ("version", serde_json::json!(2)),
        ("mindgap", serde_json::json!("MixtureResult")),
    ] {
        let mut other = written.clone();
        other[field] = value.clone();
        assert!(serde_json::from_value::<KMeansFit>(other).is_err(), "{field}: {value}");
    }
    // Labels are optional, points without a value have none, and what only the package stores is skipped.
    let mut other = written;
    other["labels"] = serde_json::json!([0, -1]);
    other["histogram"] = serde_json::json!({"counts": [8.0], "edges": [-3.0, 11.0]});
    assert!(serde_json::from_value::<KMeansFit>(other.clone()).unwrap().labels().is_empty());
    other.as_object_mut().unwrap().remove("labels");
    assert_eq!(serde_json::from_value::<KMeansFit>(other).unwrap().centers(), fit.centers());
}

const X: [f64; 8] = [-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0];

/// As Python writes it: `mindgap.kmeans(X, 3, mindgap.LowerOnly(1.75)).to_json()`.
const CLUSTERS_FROM_PYTHON: &str = r#"{"mindgap": "KMeansResult", "version": 1, "labels": [0, 0, 0, 1, 1, 1, 2, 2],
    "centers": [0.3333333333333335, 5.0, 9.5], "boundaries": [2.666666666666667, 7.25], "sizes": [3, 3, 2],
    "within": [8.666666666666668, 2.0, 0.5], "inertia": 11.166666666666668, "gaps": [4.666666666666666, 4.5],
    "active": ["free", "free"], "lower_bound": 11.166666666666668, "optimal": true,
    "bounds": {"lower": [1.75, 1.75], "upper": [null, null]}, "settings": {"centers": "free", "method": "exact",
    "ties": "split", "time_limit": null, "tol": 1e-09}, "weights": [3.0, 3.0, 2.0],
    "histogram": {"counts": [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0],
    "edges": [-2.5, -1.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 8.5, 9.5, 10.5]}, "k": 3, "name": null,
    "thresholds": [2.666666666666667, 7.25], "written_by": "0.1.0"}"#;

/// As Python writes it: `mindgap.mixture(X, 2, mindgap.LowerOnly(3)).to_json()`.
const MIXTURE_FROM_PYTHON: &str = r#"{"mindgap": "MixtureResult", "version": 1, "weights": [0.7637919458416367, 0.23620805415836313],
    "means": [2.7864264893405237, 9.5117412391688], "variances": [7.875527515470815, 0.2498621437097066],
    "origins": [0, 1], "labels": [0, 0, 0, 0, 0, 0, 1, 1], "log_likelihood": -20.302444405708428,
    "history": [-20.302444405708425, -20.302444405708428], "n_iter": 1, "status": "doubtful",
    "message": "converged; see the findings", "gaps": [6.725314749828275], "active": ["free"], "n_parameters": 5,
    "total_weight": 8.0, "entropy": 0.22809482119938848, "upper_bound": null, "newton_decrement": 0.0,
    "passes": 3, "starts": 29, "starts_at_best": 10,
    "runner_up": {"weights": [0.1207884349007444, 0.8792115650992557], "means": [-2.0, 5.250814540047953],
    "variances": [0.08651057307194296, 8.651057307194296], "log_likelihood": -20.557820649289056},
    "standard_errors": {"weights": [0.15807744515435262, 0.1580774451543526],
    "means": [1.2114519746914554, 0.3747097325152585], "variances": [5.052212622492394, 0.2570620434659188]},
    "findings": [{"code": "undetermined", "component": 1,
    "text": "the data hardly determine component 1: see its standard errors", "value": null}, {"code": "rival",
    "component": null, "text": "a different fit is only 0.26 log units lower: see the runner-up",
    "value": 0.2553762435806277}], "degenerate": [], "bounds": {"lower": [3.0], "upper": [null]},
    "settings": {"method": "best", "tol": null, "tol_scale": "absolute", "max_iter": 1000, "variances": "free",
    "min_variance": null, "starts": 4, "rng": 0}, "aic": 50.604888811416856, "bic": 51.002096519816035,
    "icl": 51.23019134101543, "histogram": {"counts": [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0],
    "edges": [-2.5, -1.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 8.5, 9.5, 10.5]}, "k": 2, "name": null,
    "thresholds": [8.384771750017478], "written_by": "0.1.0"}"#;

#[test]
fn fits_come_from_python() {
    let sample = Sample::new(&X).unwrap();
    let clusters: KMeansFit = serde_json::from_str(CLUSTERS_FROM_PYTHON).unwrap();
    let fit = KMeans::new(3).constraint(GapBounds::lower(1.75)).fit(&sample).unwrap();
    assert_eq!((clusters.labels(), clusters.sizes(), clusters.active()), (fit.labels(), fit.sizes(), fit.active()));
    assert_eq!((clusters.centers(), clusters.is_optimal()), (fit.centers(), true));

    let mixture: MixtureFit = serde_json::from_str(MIXTURE_FROM_PYTHON).unwrap();
    let stored: serde_json::Value = serde_json::from_str(MIXTURE_FROM_PYTHON).unwrap();
    assert_eq!((mixture.status().code(), mixture.n_iter()), ("doubtful", 1));
    assert_eq!((mixture.starts(), mixture.starts_at_best()), (29, 10));
    assert_eq!(mixture.findings().iter().map(mindgap::Finding::code).collect::<Vec<_>>(), ["undetermined", "rival"]);
    let written = serde_json::to_value(&mixture).unwrap();
    for (field, value) in written.as_object().unwrap() {
        // The logarithm may differ in its last place from machine to machine in Python.
        match field.as_str() {
            "bic" | "icl" => assert!((value.as_f64().unwrap() - stored[field].as_f64().unwrap()).abs() < 1e-12),
            _ => assert_eq!(value, &stored[field], "{field}"),
        }
    }
}
