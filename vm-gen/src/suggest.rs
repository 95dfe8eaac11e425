//! "Did you mean …?"

/// What to say of a word that is not among the known ones: the one that is meant, or all.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    match closest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are: {}", known.join(", ")),
    }
}

/// The known word that is nearest to a wrong one, if it is near at all.
pub(crate) fn closest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let best = known
        .iter()
        .min_by_key(|candidate| distance(word, candidate))?;
    (distance(word, best) <= 1 + word.len() / 4).then_some(*best)
}

/// The number of letters to put in, take out or change.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, character) in left.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..right.len() {
            let cost = diagonal + usize::from(character != right[column]);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
