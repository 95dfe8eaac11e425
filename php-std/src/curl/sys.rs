//! libcurl's interface, as far as the crate does not have it.

use std::ffi::{c_char, c_int, c_void};

pub(super) use curl_sys::*;

/// The parts of a form.
pub(super) enum Mime {}
/// A part of a form.
pub(super) enum MimePart {}

/// Bytes that libcurl copies.
#[repr(C)]
pub(super) struct Blob {
    pub(super) data: *const c_void,
    pub(super) length: usize,
    /// 1: copied.
    pub(super) flags: u32,
}

/// Gives a form's part its bytes.
pub(super) type ReadPart = unsafe extern "C" fn(*mut c_char, usize, usize, *mut c_void) -> usize;
/// Goes to a place in a form's part.
pub(super) type SeekPart = unsafe extern "C" fn(*mut c_void, i64, c_int) -> c_int;
/// Lets go of what a form's part was read from.
pub(super) type FreePart = unsafe extern "C" fn(*mut c_void);

/// The option of a form.
pub(super) const CURLOPT_MIMEPOST: CURLoption = 10269;

unsafe extern "C" {
    pub(super) fn curl_multi_poll(
        multi: *mut CURLM,
        files: *mut c_void,
        count: std::ffi::c_uint,
        milliseconds: c_int,
        found: *mut c_int,
    ) -> CURLMcode;
    pub(super) fn curl_easy_upkeep(easy: *mut CURL) -> CURLcode;
    pub(super) fn curl_mime_init(easy: *mut CURL) -> *mut Mime;
    pub(super) fn curl_mime_free(mime: *mut Mime);
    pub(super) fn curl_mime_addpart(mime: *mut Mime) -> *mut MimePart;
    pub(super) fn curl_mime_name(part: *mut MimePart, name: *const c_char) -> CURLcode;
    pub(super) fn curl_mime_filename(part: *mut MimePart, name: *const c_char) -> CURLcode;
    pub(super) fn curl_mime_type(part: *mut MimePart, kind: *const c_char) -> CURLcode;
    pub(super) fn curl_mime_data(
        part: *mut MimePart,
        data: *const c_char,
        length: usize,
    ) -> CURLcode;
    pub(super) fn curl_mime_filedata(part: *mut MimePart, name: *const c_char) -> CURLcode;
    pub(super) fn curl_mime_data_cb(
        part: *mut MimePart,
        length: i64,
        read: ReadPart,
        seek: Option<SeekPart>,
        free: Option<FreePart>,
        data: *mut c_void,
    ) -> CURLcode;
}
