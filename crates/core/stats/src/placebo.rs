//! Negative controls: pairs of two copies of one program, whose true ratio is 1.
//!
//! If intervals are right, the t statistics of such pairs follow chance. If they are larger,
//! something moves the forks of a run that the forks do not show, and all standard errors are
//! widened by as much (Schuemie et al., "Empirical confidence interval calibration", PNAS 2018).

use crate::pair::Pair;
use crate::prior::Prior;
use crate::quantile::mean;
use crate::scatter::Scatter;
use crate::student::as_normal;

/// How far a pair of equals is from its truth, as a value of the standard normal distribution that
/// is exceeded as rarely; at most 8. `None` if it has fewer than two forks. If its processes have
/// two levels, the distance of the levels counts as scatter: which copy has how many of each is
/// chance.
pub fn surprise(pair: &Pair, prior: &Prior) -> Option<f64> {
    let forks = pair.forks.len();
    if forks < 2 {
        return None;
    }
    let Prior { variance, df } = prior.moderate(&Scatter::of_one_level(&pair.forks));
    let t = mean(&pair.forks) / (variance / forks as f64).sqrt();
    Some(if t.is_nan() { 0.0 } else { as_normal(t, df) })
}

/// The factor for all standard errors of a run: the root mean square of its controls' surprises,
/// and at least 1.
pub fn calibration(surprises: &[f64]) -> f64 {
    if surprises.is_empty() {
        return 1.0;
    }
    let square: f64 = surprises.iter().map(|z| z * z).sum();
    (square / surprises.len() as f64).sqrt().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(forks: &[f64]) -> Pair {
        Pair { forks: forks.to_vec(), rounds: 0 }
    }

    #[test]
    fn a_control_surprises_as_its_t_does() {
        // Mean 0.02, standard error 0.01, four degrees: t = 2, `2 * scipy.stats.t.sf(2, 4)` =
        // 0.1161, `scipy.stats.norm.isf(0.05806)` = 1.5713.
        let sd = 0.01 * 5_f64.sqrt();
        let unit = [-1.0, 1.0, -1.0, 1.0, 0.0].map(|x: f64| 0.02 + x * sd);
        let z = surprise(&pair(&unit), &Prior::NOTHING).unwrap();
        assert!((z - 1.5713).abs() < 1e-3, "{z}");
        assert_eq!(surprise(&pair(&[0.1]), &Prior::NOTHING), None);
        assert_eq!(surprise(&pair(&[0.0; 4]), &Prior::NOTHING), Some(0.0));
        assert_eq!(surprise(&pair(&[0.1; 4]), &Prior::NOTHING), Some(8.0));
    }

    #[test]
    fn levels_of_a_control_are_no_surprise() {
        let forks: Vec<f64> =
            (0..11).map(|i| if i < 2 { 0.1 } else { 0.001 * f64::from(i) }).collect();
        assert!(crate::levels::split(&forks).is_some());
        let z = surprise(&pair(&forks), &Prior::NOTHING).unwrap();
        assert!(z < 2.5, "{z}");
    }

    #[test]
    fn a_calibration_is_a_root_mean_square_and_never_below_one() {
        assert_eq!(calibration(&[]), 1.0);
        assert_eq!(calibration(&[0.5, 0.1, 0.3]), 1.0);
        assert!((calibration(&[1.0, 2.0, 2.0]) - 3_f64.sqrt()).abs() < 1e-12);
    }
}
