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

pub(super) const DATA_GREATER_THAN_MODULUS: &str =
    "0200006C:rsa routines::data greater than mod len";
pub(super) const DATA_TOO_LARGE_FOR_KEY: &str =
    "0200006E:rsa routines::data too large for key size";
pub(super) const DATA_TOO_LARGE_FOR_MODULUS: &str =
    "02000084:rsa routines::data too large for modulus";
pub(super) const DATA_TOO_SMALL_FOR_KEY: &str =
    "0200007A:rsa routines::data too small for key size";
pub(super) const DIGEST_NOT_ALLOWED: &str = "1C8000AE:Provider routines::digest not allowed";
pub(super) const INVALID_DIGEST: &str = "1C80007A:Provider routines::invalid digest";
pub(super) const ILLEGAL_PADDING: &str =
    "1C8000A5:Provider routines::illegal or unsupported padding mode";
pub(super) const INVALID_X931_DIGEST: &str = "1C8000AA:Provider routines::invalid x931 digest";
pub(super) const INVALID_PADDING: &str = "0200008A:rsa routines::invalid padding";
pub(super) const PADDING_CHECK_FAILED: &str = "02000072:rsa routines::padding check failed";
pub(super) const UNKNOWN_PADDING: &str = "02000076:rsa routines::unknown padding type";
pub(super) const OAEP_DECODING: &str = "02000079:rsa routines::oaep decoding error";
pub(super) const RSA_LIBRARY: &str = "1C880004:Provider routines::RSA lib";
pub(super) const RSA_INTERNAL: &str = "020C0103:rsa routines::internal error";
pub(super) const SIGNATURE_FAILURE: &str =
    "030000EA:digital envelope routines::provider signature failure";
pub(super) const WRONG_SIGNATURE_LENGTH: &str = "02000077:rsa routines::wrong signature length";
pub(super) const BAD_SIGNATURE: &str = "02000068:rsa routines::bad signature";
pub(super) const NO_SUCH_FILE: &str = "FFFFFFFF80000002:system library::No such file or directory";
pub(super) const BIO_NO_SUCH_FILE: &str = "10000080:BIO routines::no such file";
pub(super) const CONFIGURATION_NO_SUCH_FILE: &str =
    "07000072:configuration file routines::no such file";
pub(super) const WRONG_TAG: &str = "068000A8:asn1 encoding routines::wrong tag";
pub(super) const NESTED_ASN1: &str = "0688010A:asn1 encoding routines::nested asn1 error";
pub(super) const PEM_ASN1: &str = "0488000D:PEM routines::ASN1 lib";
pub(super) const PEM_NO_START_LINE: &str = "0480006C:PEM routines::no start line";
pub(super) const KEY_VALUES_MISMATCH: &str =
    "05800074:x509 certificate routines::key values mismatch";
pub(super) const NOT_SUPPORTED_FOR_KEY: &str =
    "03000096:digital envelope routines::operation not supported for this keytype";
pub(super) const DECODER_UNSUPPORTED: &str = "1E08010C:DECODER routines::unsupported";
pub(super) const PEM_BAD_DECRYPT: &str = "04800065:PEM routines::bad decrypt";
pub(super) const PKCS12_CIPHER_FINAL: &str = "11800074:PKCS12 routines::pkcs12 cipherfinal error";
pub(super) const DIFFERENT_KEY_TYPES: &str =
    "03000065:digital envelope routines::different key types";
pub(super) const KEY_TYPE_MISMATCH: &str = "05800073:x509 certificate routines::key type mismatch";
pub(super) const WRONG_PUBLIC_KEY_TYPE: &str =
    "068000C8:asn1 encoding routines::wrong public key type";
pub(super) const KEY_SIZE_TOO_SMALL: &str = "1C8000AB:Provider routines::key size too small";

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
