"""The crate and the package store fits in one form: either reads what the other has written."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np

import mindgap as mg
from mindgap.datasets import paper_model

X = [-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0]

#: As the crate writes the fit of three clusters to X under a lower bound of 1.75.
CLUSTERS = """{"mindgap":"KMeansResult","version":1,"labels":[0,0,0,1,1,1,2,2],"centers":[0.3333333333333335,5.0,9.5],
"boundaries":[2.666666666666667,7.25],"sizes":[3,3,2],"weights":[3.0,3.0,2.0],"within":[8.666666666666668,2.0,0.5],
"inertia":11.166666666666668,"gaps":[4.666666666666666,4.5],"active":["free","free"],"lower_bound":11.166666666666668,
"optimal":true}"""

#: As the crate writes the fit of two components to X under a lower bound of 3.
COMPONENTS = """{"mindgap":"MixtureResult","version":1,"weights":[0.7637919458416367,0.23620805415836313],
"means":[2.7864264893405237,9.5117412391688],"variances":[7.875527515470815,0.2498621437097066],"origins":[0,1],
"labels":[0,0,0,0,0,0,1,1],"log_likelihood":-20.302444405708428,"history":[-20.302444405708425,-20.302444405708428],
"n_iter":1,"status":"doubtful","message":"converged; see the findings","degenerate":[],"gaps":[6.725314749828275],
"active":["free"],"n_parameters":5,"total_weight":8.0,"entropy":0.22809482119938848,"newton_decrement":0.0,"passes":3,
"starts":29,"starts_at_best":10,"runner_up":{"weights":[0.1207884349007444,0.8792115650992557],
"means":[-2.0,5.250814540047953],"variances":[0.08651057307194296,8.651057307194296],
"log_likelihood":-20.557820649289056},"standard_errors":{"weights":[0.15807744515435262,0.1580774451543526],
"means":[1.2114519746914554,0.3747097325152585],"variances":[5.052212622492394,0.2570620434659188]},
"findings":[{"code":"undetermined","component":1,"value":null,"text":"the data hardly determine component 1"},
{"code":"rival","component":null,"value":0.2553762435806277,"text":"a different fit is only 0.26 log units lower"}],
"aic":50.604888811416856,"bic":51.002096519816035,"icl":51.23019134101543}"""


def test_clusters_that_the_crate_stored_are_read() -> None:
    read, fitted = mg.KMeansResult.from_json(CLUSTERS), mg.kmeans(X, 3, mg.LowerOnly(1.75))
    assert read.optimal
    assert read.active == fitted.active
    for name in ("labels", "centers", "boundaries", "sizes", "weights", "within", "gaps"):
        np.testing.assert_array_equal(getattr(read, name), getattr(fitted, name))
    assert (read.predict(X) == fitted.predict(X)).all()


def test_a_mixture_that_the_crate_stored_is_read() -> None:
    read = mg.MixtureResult.from_json(COMPONENTS)
    stored = json.loads(COMPONENTS)
    assert (read.aic, read.bic, read.icl) == (stored["aic"], stored["bic"], stored["icl"])
    assert [(finding.code, finding.component, finding.value) for finding in read.findings] == [
        ("undetermined", 1, None),
        ("rival", None, stored["findings"][1]["value"]),
    ]
    assert read.runner_up is not None
    assert read.standard_errors is not None
    assert read.predict([0.0, 9.6]).tolist() == [0, 1]


def test_the_package_stores_every_field_that_the_crate_stores() -> None:
    clusters, components = mg.kmeans(X, 3, mg.LowerOnly(1.75)), mg.mixture(X, 2, mg.LowerOnly(3))
    for result, document in ((clusters, CLUSTERS), (components, COMPONENTS)):
        ours, theirs = json.loads(result.to_json()), json.loads(document)
        assert theirs.keys() <= ours.keys()
        assert {name: ours[name] for name in ("mindgap", "version")} == {
            name: theirs[name] for name in ("mindgap", "version")
        }
        for name in theirs:
            assert type(ours[name]) is type(theirs[name]), name


def test_labels_are_optional() -> None:
    for result, document in ((mg.KMeansResult, CLUSTERS), (mg.MixtureResult, COMPONENTS)):
        fields_without_labels = {name: value for name, value in json.loads(document).items() if name != "labels"}
        assert len(result.from_json(json.dumps(fields_without_labels)).labels) == 0


def test_what_a_result_has_comes_back() -> None:
    x = paper_model("D", 300, rng=2).values
    fit = mg.mixture(x, 5, mg.TwoSided(1.5, 2.5))
    back = mg.MixtureResult.from_json(fit.to_json())
    apart = ("data", "settings", "runner_up", "standard_errors", "bounds", "rows", "constraint")
    for name in (part.name for part in fields(fit) if part.name not in apart):
        np.testing.assert_array_equal(getattr(back, name), getattr(fit, name), err_msg=name)
    assert (back.bounds, back.bic) == (fit.bounds, fit.bic)
    assert np.array_equal(back.predict(x), fit.labels)
    assert fit.runner_up is not None
    assert back.runner_up is not None
    assert back.runner_up.log_likelihood == fit.runner_up.log_likelihood <= fit.log_likelihood
    assert fit.standard_errors is not None
    assert back.standard_errors is not None
    np.testing.assert_array_equal(back.standard_errors.means, fit.standard_errors.means)
    assert back.standard_errors.unreliable == fit.standard_errors.unreliable
