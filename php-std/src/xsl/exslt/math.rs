//! Mathematics.

use super::super::run::Run;
use super::nodes_of;
use crate::xml::xpath::{self, Item, Problem, Value};

pub(super) fn call(
    run: &mut Run<'_>,
    name: &[u8],
    arguments: Vec<Value>,
) -> Result<Value, Problem> {
    match name {
        b"min" | b"max" | b"highest" | b"lowest" => {
            let [value] = <[Value; 1]>::try_from(arguments).map_err(|_| Problem::WrongArguments)?;
            return extreme(run, name, nodes_of(value)?);
        }
        b"random" => {
            let mut bytes = [0; 8];
            getrandom::fill(&mut bytes).map_err(|_| Problem::Stack)?;
            let number = (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64;
            return Ok(Value::Number(number));
        }
        b"constant" => {
            let [name, precision] =
                <[Value; 2]>::try_from(arguments).map_err(|_| Problem::WrongArguments)?;
            return Ok(Value::Number(constant(run, &name, &precision)));
        }
        _ => {}
    }
    let numbers: Vec<f64> = arguments
        .iter()
        .map(|value| xpath::value_number(&run.document, value))
        .collect();
    let two = matches!(name, b"power" | b"atan2");
    if numbers.len() != if two { 2 } else { 1 } {
        return Err(Problem::WrongArguments);
    }
    let number = numbers[0];
    Ok(Value::Number(match name {
        b"abs" => number.abs(),
        b"sqrt" => number.sqrt(),
        b"power" => number.powf(numbers[1]),
        b"log" => number.ln(),
        b"sin" => number.sin(),
        b"cos" => number.cos(),
        b"tan" => number.tan(),
        b"asin" => number.asin(),
        b"acos" => number.acos(),
        b"atan" => number.atan(),
        b"atan2" => number.atan2(numbers[1]),
        _ => number.exp(),
    }))
}

/// The smallest or largest number of nodes, or the nodes that have it.
fn extreme(run: &Run<'_>, name: &[u8], nodes: Vec<Item>) -> Result<Value, Problem> {
    let wants_nodes = matches!(name, b"highest" | b"lowest");
    let is_more = matches!(name, b"max" | b"highest");
    let mut best: Option<f64> = None;
    let mut found = Vec::new();
    for node in nodes {
        let text = xpath::string_of(&run.document, &node);
        let number = xpath::value_number(&run.document, &Value::Text(text));
        if number.is_nan() {
            return Ok(match wants_nodes {
                true => Value::Nodes(Vec::new()),
                false => Value::Number(f64::NAN),
            });
        }
        let is_better = best.is_none_or(|best| match is_more {
            true => number > best,
            false => number < best,
        });
        if is_better {
            best = Some(number);
            found.clear();
        }
        if best == Some(number) {
            found.push(node);
        }
    }
    Ok(match wants_nodes {
        true => Value::Nodes(found),
        false => Value::Number(best.unwrap_or(f64::NAN)),
    })
}

fn constant(run: &Run<'_>, name: &Value, precision: &Value) -> f64 {
    let text = match run.text(name).as_slice() {
        b"PI" => "3.1415926535897932384626433832795028841971693993751",
        b"E" => "2.71828182845904523536028747135266249775724709369996",
        b"SQRRT2" => "1.41421356237309504880168872420969807856967187537694",
        b"LN2" => "0.69314718055994530941723212145817656807550013436025",
        b"LN10" => "2.302585092994045684017991454684364207601101488628772976033328",
        b"LOG2E" => "1.4426950408889634073599246810018921374266459541529859341354494069",
        b"SQRT1_2" => "0.70710678118654752440084436210484903928483593768847",
        _ => return f64::NAN,
    };
    let precision = xpath::value_number(&run.document, precision);
    if precision.is_nan() || precision < 1.0 {
        return f64::NAN;
    }
    let length = (precision as usize).min(text.len());
    text[..length].parse().unwrap_or(f64::NAN)
}
