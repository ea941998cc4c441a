use super::*;

#[test]
fn shares_of_a_point_are_its_probabilities() {
    let parameters = Parameters::new(&[0.2, 0.5, 0.3], &[0.0, 1.0, 3.0], &[1.0, 0.25, 4.0]).unwrap();
    let density = |c: usize, x: f64| {
        let variance = parameters.variances()[c];
        parameters.weights()[c] * (-(x - parameters.means()[c]).powi(2) / (2.0 * variance)).exp() / variance.sqrt()
    };
    for x in [-3.0, 0.0, 0.4, 1.0, 2.5, 7.0] {
        let total: f64 = (0..3).map(|c| density(c, x)).sum();
        for c in 0..3 {
            assert!((share(&parameters, c, x) - density(c, x) / total).abs() < 1e-14, "{c} at {x}");
        }
    }
    assert_eq!(share(&parameters, 0, 1e9), 0.0, "no density left to share");
}
