//! `curl_getinfo()`: what is known of a transfer.

use std::ffi::{c_char, c_long};
use std::ptr::null_mut;

use vm_runtime::function::Call;
use vm_runtime::value::Value;
use vm_runtime::vm::{PhpResult, Vm};

use super::constants::CONSTANTS;
use super::handle::{Handle, of, text};
use super::sys;

const TEXT: i64 = 0x100_000;
const NUMBER: i64 = 0x200_000;
const FLOAT: i64 = 0x300_000;
const LIST: i64 = 0x400_000;
const OFFSET: i64 = 0x600_000;
const KINDS: i64 = 0xf00_000;

const HEADER_OUT: i64 = 2;
const PRIVATE: i64 = TEXT + 21;
const CERTIFICATES: i64 = LIST + 34;

/// What is in the array, with its numbers.
const ALL: [(&str, i64); 41] = [
    ("url", TEXT + 1),
    ("content_type", TEXT + 18),
    ("http_code", NUMBER + 2),
    ("header_size", NUMBER + 11),
    ("request_size", NUMBER + 12),
    ("filetime", NUMBER + 14),
    ("ssl_verify_result", NUMBER + 13),
    ("redirect_count", NUMBER + 20),
    ("total_time", FLOAT + 3),
    ("namelookup_time", FLOAT + 4),
    ("connect_time", FLOAT + 5),
    ("pretransfer_time", FLOAT + 6),
    ("size_upload", FLOAT + 7),
    ("size_download", FLOAT + 8),
    ("speed_download", FLOAT + 9),
    ("speed_upload", FLOAT + 10),
    ("download_content_length", FLOAT + 15),
    ("upload_content_length", FLOAT + 16),
    ("starttransfer_time", FLOAT + 17),
    ("redirect_time", FLOAT + 19),
    ("redirect_url", TEXT + 31),
    ("primary_ip", TEXT + 32),
    ("certinfo", CERTIFICATES),
    ("primary_port", NUMBER + 40),
    ("local_ip", TEXT + 41),
    ("local_port", NUMBER + 42),
    ("http_version", NUMBER + 46),
    ("protocol", NUMBER + 48),
    ("ssl_verifyresult", NUMBER + 47),
    ("scheme", TEXT + 49),
    ("appconnect_time_us", OFFSET + 56),
    ("connect_time_us", OFFSET + 52),
    ("namelookup_time_us", OFFSET + 51),
    ("pretransfer_time_us", OFFSET + 53),
    ("redirect_time_us", OFFSET + 55),
    ("starttransfer_time_us", OFFSET + 54),
    ("posttransfer_time_us", OFFSET + 67),
    ("total_time_us", OFFSET + 50),
    ("effective_method", TEXT + 58),
    ("capath", TEXT + 62),
    ("cainfo", TEXT + 61),
];

/// The texts of a list of libcurl's.
unsafe fn texts(mut list: *mut sys::curl_slist) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while !list.is_null() {
        // SAFETY: libcurl's lists end with null, and their texts with NUL.
        unsafe {
            found.extend(text((*list).data));
            list = (*list).next;
        }
    }
    found
}

/// Something that libcurl knows; none if it does not.
fn one(vm: &mut Vm, handle: &Handle, what: i64) -> Option<Value> {
    let (easy, info) = (handle.easy, what as u32);
    // SAFETY: the handle is live, and the place has the type that the number says.
    unsafe {
        Some(match what & KINDS {
            TEXT => {
                let mut found: *mut c_char = null_mut();
                if sys::curl_easy_getinfo(easy, info, &raw mut found) != 0 {
                    return None;
                }
                vm.string(text(found)?).into()
            }
            NUMBER => {
                let mut found: c_long = 0;
                if sys::curl_easy_getinfo(easy, info, &raw mut found) != 0 {
                    return None;
                }
                (found as i64).into()
            }
            FLOAT => {
                let mut found: f64 = 0.0;
                if sys::curl_easy_getinfo(easy, info, &raw mut found) != 0 {
                    return None;
                }
                found.into()
            }
            OFFSET => {
                let mut found: i64 = 0;
                if sys::curl_easy_getinfo(easy, info, &raw mut found) != 0 {
                    return None;
                }
                found.into()
            }
            LIST if what == CERTIFICATES => crate::support::list(vm, []),
            LIST => {
                let mut found: *mut sys::curl_slist = null_mut();
                if sys::curl_easy_getinfo(easy, info, &raw mut found) != 0 {
                    return None;
                }
                let texts = texts(found);
                sys::curl_slist_free_all(found);
                let values: Vec<Value> = texts.iter().map(|text| vm.string(text).into()).collect();
                crate::support::list(vm, values)
            }
            _ => return None,
        })
    }
}

pub(super) fn info(call: &mut Call<'_>) -> PhpResult<Value> {
    let object = call.object(0);
    let handle = of(&object);
    let Some(option) = call.optional_long(1) else {
        let mut array = call.vm.new_array();
        for (name, what) in ALL {
            let found = one(call.vm, handle, what);
            let value = match (found, name) {
                (Some(value), _) => value,
                (None, "content_type") => Value::NULL,
                // What this libcurl was built without is empty.
                (None, _) => call.vm.string(b"").into(),
            };
            array.make_mut(call.vm).set_bytes(name.as_bytes(), value);
        }
        if let Some(sent) = &handle.sent {
            let sent = call.vm.string(sent);
            array
                .make_mut(call.vm)
                .set_bytes(b"request_header", sent.into());
        }
        return Ok(array.into());
    };
    if option == HEADER_OUT {
        return Ok(match &handle.sent {
            Some(sent) => call.vm.string(sent).into(),
            None => false.into(),
        });
    }
    if option == PRIVATE {
        return Ok(handle.private.clone().unwrap_or(false.into()));
    }
    let is_known = CONSTANTS
        .iter()
        .any(|(name, value)| *value == option && name.starts_with("CURLINFO_"));
    if !is_known {
        return Ok(false.into());
    }
    let found = one(call.vm, handle, option);
    Ok(match found {
        Some(value) => value,
        None => false.into(),
    })
}
