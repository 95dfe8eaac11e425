//! The queue of errors: what OpenSSL would have put into its own, in its words.

use std::collections::VecDeque;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

/// Errors of something that failed, oldest first.
pub(super) type Failure = &'static [&'static str];

pub(super) const INVALID_KEY_LENGTH: &str =
    "03000082:digital envelope routines::invalid key length";
pub(super) const INVALID_CIPHER_KEY_LENGTH: &str = "1C800069:Provider routines::invalid key length";
pub(super) const UNSUPPORTED: &str = "0308010C:digital envelope routines::unsupported";
pub(super) const INITIALIZATION: &str = "03000086:digital envelope routines::initialization error";
pub(super) const WRONG_FINAL_BLOCK: &str = "1C80006B:Provider routines::wrong final block length";
pub(super) const BAD_DECRYPT: &str = "1C800064:Provider routines::bad decrypt";
pub(super) const CIPHER_OPERATION_FAILED: &str =
    "1C800066:Provider routines::cipher operation failed";
pub(super) const UPDATE: &str = "030000BD:digital envelope routines::update error";
pub(super) const INVALID_INPUT_LENGTH: &str = "1C8000E6:Provider routines::invalid input length";
pub(super) const XTS_DUPLICATED_KEYS: &str = "1C800095:Provider routines::xts duplicated keys";
pub(super) const INVALID_TAG: &str = "1C80006E:Provider routines::invalid tag";
pub(super) const INVALID_TAG_LENGTH: &str = "1C800076:Provider routines::invalid tag length";
pub(super) const INVALID_IV_LENGTH: &str = "1C80006D:Provider routines::invalid iv length";
pub(super) const TOO_SMALL_BUFFER: &str = "07800074:common libcrypto routines::too small buffer";
pub(super) const FAILED_TO_GET_PARAMETER: &str =
    "1C800067:Provider routines::failed to get parameter";
pub(super) const INVALID_ITERATIONS: &str = "1C80007B:Provider routines::invalid iteration count";
pub(super) const NEGATIVE_PARAMETER: &str =
    "0780007D:common libcrypto routines::param unsigned integer negative value unsupported";
pub(super) const NO_EXTENDABLE_DIGESTS: &str =
    "1C8000B7:Provider routines::xof digests not allowed";

/// The most that are kept; older ones go.
const MOST: usize = 15;

/// The errors that a VM has not told yet.
#[derive(Default)]
struct Queue(VecDeque<&'static str>);

/// Notes an error.
pub(super) fn push(vm: &mut Vm, error: &'static str) {
    let queue = &mut vm.extensions.state::<Queue>().0;
    if queue.len() >= MOST {
        queue.pop_front();
    }
    queue.push_back(error);
}

/// Notes errors.
pub(super) fn push_all(vm: &mut Vm, errors: Failure) {
    errors.iter().for_each(|error| push(vm, error));
}

pub(super) fn error_string(call: &mut Call<'_>) -> PhpResult<Value> {
    match call.vm.extensions.state::<Queue>().0.pop_front() {
        Some(error) => Ok(call.vm.string(format!("error:{error}")).into()),
        None => Ok(false.into()),
    }
}
