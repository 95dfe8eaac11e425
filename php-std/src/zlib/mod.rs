//! The extension `zlib`: compressed strings, files, streams and output.

mod codec;
mod context;
mod file;
mod filter;
mod output;
mod whole;

use vm_runtime::ini::{IniDefinition, access};
use vm_runtime::vm::Vm;

#[cfg(feature = "zip")]
pub(crate) use codec::{Deflater, Inflater, Parameters, status_text};
pub(crate) use file::ZlibWrapper;
pub(crate) use filter::make as make_filter;
#[cfg(feature = "phar")]
pub(crate) use whole::{deflate, gunzip, gzip, inflate};

use crate::support::{define, define_one};

/// Formats, by the logarithm of the window that stands for them.
const RAW: i64 = -15;
const GZIP: i64 = 31;
const DEFLATE: i64 = 15;

/// What a parameter of a format must be.
const FORMATS: &str =
    "must be one of ZLIB_ENCODING_RAW, ZLIB_ENCODING_GZIP, or ZLIB_ENCODING_DEFLATE";

const CONSTANTS: &[(&str, i64)] = &[
    ("FORCE_GZIP", GZIP),
    ("FORCE_DEFLATE", DEFLATE),
    ("ZLIB_ENCODING_RAW", RAW),
    ("ZLIB_ENCODING_GZIP", GZIP),
    ("ZLIB_ENCODING_DEFLATE", DEFLATE),
    ("ZLIB_NO_FLUSH", 0),
    ("ZLIB_PARTIAL_FLUSH", 1),
    ("ZLIB_SYNC_FLUSH", 2),
    ("ZLIB_FULL_FLUSH", 3),
    ("ZLIB_BLOCK", 5),
    ("ZLIB_FINISH", 4),
    ("ZLIB_FILTERED", 1),
    ("ZLIB_HUFFMAN_ONLY", 2),
    ("ZLIB_RLE", 3),
    ("ZLIB_FIXED", 4),
    ("ZLIB_DEFAULT_STRATEGY", 0),
    ("ZLIB_VERNUM", 0x1310),
    ("ZLIB_OK", 0),
    ("ZLIB_STREAM_END", 1),
    ("ZLIB_NEED_DICT", 2),
    ("ZLIB_ERRNO", -1),
    ("ZLIB_STREAM_ERROR", -2),
    ("ZLIB_DATA_ERROR", -3),
    ("ZLIB_MEM_ERROR", -4),
    ("ZLIB_BUF_ERROR", -5),
    ("ZLIB_VERSION_ERROR", -6),
];

static SETTINGS: &[IniDefinition] = &[
    IniDefinition {
        name: "zlib.output_compression",
        default: Some("0"),
        access: access::ALL,
        on_change: Some(output::change_compression),
    },
    IniDefinition {
        name: "zlib.output_compression_level",
        default: Some("-1"),
        access: access::ALL,
        on_change: None,
    },
    IniDefinition {
        name: "zlib.output_handler",
        default: Some(""),
        access: access::ALL,
        on_change: Some(output::change_handler),
    },
];

/// The first bytes of compressed data.
pub(crate) fn inflate_start(data: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    codec::Inflater::new(DEFLATE)?.step(data, &mut output, length, libz_sys::Z_SYNC_FLUSH);
    Some(output)
}

/// Registers the extension.
#[cold]
pub(crate) fn register(vm: &mut Vm) {
    vm.ini.register(SETTINGS);
    define(vm, CONSTANTS);
    let version = vm.string("1.3.1").into();
    define_one(vm, "ZLIB_VERSION", version);
    vm.register_classes(context::CLASSES);
    for functions in [
        output::FUNCTIONS,
        file::FUNCTIONS,
        whole::FUNCTIONS,
        context::FUNCTIONS,
    ] {
        vm.register_functions(functions);
    }
}
