//! A path with a given number of links from a path with fewer and one with more. O(k).
//!
//! If costs are Monge and both paths are optimal under one penalty, so is the spliced one (Aggarwal, Schieber and
//! Tokuyama).

/// The path of `k` links that starts along `few` and ends along `many`, which have at most and at least `k` links;
/// both are nodes in ascending order with the same first and last.
///
/// Let `shift` be the number of links of `many` minus `k`. Some link of `few` spans the link of `many` that is `shift`
/// further on: the first one whose end is not before that link's end (the last link is such a one); if its start were
/// after that link's start, the link before it would be the first. Swapping the two ends costs nothing, by Monge.
pub(in crate::kmeans) fn splice<T: Copy + PartialOrd>(few: &[T], many: &[T], k: usize) -> Vec<T> {
    let shift = many.len() - 1 - k;
    let links = few.len() - 1;
    let link = (0..links).find(|&link| many[link + shift + 1] <= few[link + 1]).unwrap_or(links);
    [&few[..=link], &many[link + shift + 1..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spliced_paths_ascend_and_have_the_asked_number_of_links() {
        let few = [0, 5, 9, 20];
        let many = [0, 1, 2, 6, 8, 12, 15, 20];
        for k in 3..=7 {
            let path = splice(&few, &many, k);
            assert_eq!(path.len(), k + 1);
            assert!(path.windows(2).all(|pair| pair[0] < pair[1]), "{path:?}");
            assert_eq!((path[0], path[k]), (0, 20));
        }
    }
}
