//! Random floats between two bounds, by the gamma-section of F. Goualard: every result is a whole
//! number of steps from a bound, the steps being as wide as floats lie apart at the larger bound.

use super::generator::{Failure, Source};

/// Which bounds a result may equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Boundary {
    ClosedOpen,
    ClosedClosed,
    OpenClosed,
    OpenOpen,
}

/// The width of a step.
fn step(minimum: f64, maximum: f64) -> f64 {
    if minimum.abs() > maximum.abs() {
        minimum.next_up() - minimum
    } else {
        maximum - maximum.next_down()
    }
}

/// The number of steps between the bounds, rounded up.
fn steps(minimum: f64, maximum: f64, step: f64) -> u64 {
    let quotient = maximum / step - minimum / step;
    let error = if minimum.abs() <= maximum.abs() {
        -minimum / step - (quotient - maximum / step)
    } else {
        maximum / step - (quotient + minimum / step)
    };
    let ceiling = quotient.ceil();
    if quotient == ceiling {
        ceiling as u64 + u64::from(error > 0.0)
    } else {
        ceiling as u64
    }
}

/// `bound + count * step`, without an overflow in between.
fn offset(bound: f64, count: u64, step: f64) -> f64 {
    let (high, low) = ((count >> 2) as f64, (count & 3) as f64);
    4.0 * (bound * 0.25 + high * step) + low * step
}

/// A float between two bounds; `None` if there is none between them.
pub(super) fn float_between(
    source: &mut dyn Source,
    minimum: f64,
    maximum: f64,
    boundary: Boundary,
) -> Result<Option<f64>, Failure> {
    let step = step(minimum, maximum);
    let count = steps(minimum, maximum, step);
    let least = match boundary {
        Boundary::ClosedClosed => 0,
        Boundary::ClosedOpen | Boundary::OpenClosed => 1,
        Boundary::OpenOpen => 2,
    };
    if count < least {
        return Ok(None);
    }
    // Counted from the larger bound down, or from the smaller one up.
    let down = minimum.abs() <= maximum.abs();
    Ok(Some(match boundary {
        Boundary::ClosedOpen => {
            let number = 1 + source.below(count - 1)?;
            match down {
                true if number == count => minimum,
                true => offset(maximum, number, -step),
                false => offset(minimum, number - 1, step),
            }
        }
        Boundary::ClosedClosed => {
            let number = source.below(count)?;
            match down {
                true if number == count => minimum,
                true => offset(maximum, number, -step),
                false if number == count => maximum,
                false => offset(minimum, number, step),
            }
        }
        Boundary::OpenClosed => {
            let number = source.below(count - 1)?;
            match down {
                true => offset(maximum, number, -step),
                false if number == count - 1 => maximum,
                false => offset(minimum, number + 1, step),
            }
        }
        Boundary::OpenOpen => {
            let number = 1 + source.below(count - 2)?;
            match down {
                true => offset(maximum, number, -step),
                false => offset(minimum, number, step),
            }
        }
    }))
}
