//! What archives do behind a web server: `Phar::webPhar()` and `Phar::mungServer()`.

use vm_runtime::function::Call;
use vm_runtime::value::{Value, ValueKind, Zval};
use vm_runtime::vm::PhpResult;

use super::run::open_running;
use crate::spl::throw;
use crate::standard::info::configuration::ServerInterface;

pub(super) fn munge(call: &mut Call<'_>) -> PhpResult<Value> {
    let expected = "expecting an array of any of these strings: PHP_SELF, REQUEST_URI, SCRIPT_FILENAME, SCRIPT_NAME";
    let values = call.elements(0);
    let mut problem = match values.len() {
        0 => Some("No values passed"),
        1..=4 => None,
        _ => Some("Too many values passed"),
    };
    if problem.is_none() {
        let is_text = |value: &Zval| matches!(value.deref().view(), ValueKind::String(_));
        if !values.iter().all(|(_, value)| is_text(value)) {
            problem = Some("Non-string value passed");
        }
    }
    if let Some(problem) = problem {
        let message = format!("{problem} to Phar::mungServer(), {expected}");
        return Err(throw(call.vm, "PharException", &message));
    }
    // Only what answers requests of web servers would change variables.
    Ok(Value::NULL)
}

pub(super) fn web_phar(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.vm.extensions.state::<ServerInterface>().name() != "cli" {
        let message = "Phar::webPhar() does not answer requests of web servers in this engine";
        return Err(throw(call.vm, "PharException", message));
    }
    let alias = call.optional_bytes(0);
    if let Err(problem) = open_running(call.vm, alias) {
        return Err(throw(call.vm, "PharException", &problem));
    }
    // From the command line there is no request to answer, and the stub goes on.
    Ok(Value::NULL)
}
