//! PHP's standard library for Opline: native functions and classes, one folder an extension.
//!
//! A native function states its signature once, in PHP's own syntax; the runtime checks and
//! converts arguments by it before the code runs (see `vm_runtime::types`).

mod bcmath;
#[cfg(feature = "bz2")]
mod bz2;
mod calendar;
pub mod core;
mod ctype;
#[cfg(feature = "curl")]
mod curl;
mod date;
mod dom;
#[cfg(feature = "exif")]
mod exif;
#[cfg(feature = "fileinfo")]
mod fileinfo;
mod filter;
mod gettext;
#[cfg(feature = "gmp")]
mod gmp;
mod hash;
mod iconv;
mod intl;
mod json;
mod libxml;
mod mbstring;
#[cfg(feature = "openssl")]
mod openssl;
#[cfg(feature = "pcntl")]
mod pcntl;
mod pcre;
#[cfg(feature = "sqlite")]
mod pdo;
#[cfg(feature = "phar")]
mod phar;
mod posix;
mod pure;
pub mod random;
pub mod readline;
pub mod reflection;
mod session;
mod simplexml;
mod sockets;
#[cfg(feature = "sodium")]
mod sodium;
pub mod spl;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite3;
pub mod standard;
mod support;
#[cfg(feature = "sysv")]
mod sysv;
#[cfg(feature = "tls")]
mod tls;
mod tokenizer;
pub mod web;
mod xml;
mod xmlparser;
mod xmlreader;
mod xmlwriter;
#[cfg(feature = "xsl")]
mod xsl;
#[cfg(feature = "zip")]
mod zip;
#[cfg(feature = "zlib")]
mod zlib;

#[cfg(feature = "phar")]
pub use phar::code_of as code_of_archive;

pub use date::{http_date, log_time};
pub use mbstring::source::{Source, prepare as prepare_source};
pub use standard::files::next_line;
pub use standard::info::configuration;

/// The version of PHP whose library this is.
pub const PHP_VERSION: &str = "8.4.24";

use vm_runtime::vm::Vm;

/// What adds the functions, classes and constants of an extension.
type Register = fn(&mut Vm);

/// The extensions, in the order in which they are registered.
const EXTENSIONS: &[(&str, Register)] = &[
    ("Core", core::register),
    ("date", date::register),
    ("pcre", pcre::register),
    ("ctype", ctype::register),
    ("filter", filter::register),
    ("hash", hash::register),
    ("json", json::register),
    ("mbstring", mbstring::register),
    ("random", random::register),
    ("Reflection", reflection::register),
    ("session", session::register),
    ("SPL", spl::register),
    ("standard", standard::register),
    ("tokenizer", tokenizer::register),
    ("libxml", libxml::register),
    ("dom", dom::register),
    ("SimpleXML", simplexml::register),
    ("xml", xmlparser::register),
    ("xmlreader", xmlreader::register),
    ("xmlwriter", xmlwriter::register),
    ("iconv", iconv::register),
    ("posix", posix::register),
    ("sockets", sockets::register),
    ("readline", readline::register),
    #[cfg(feature = "pcntl")]
    ("pcntl", pcntl::register),
    ("gettext", gettext::register),
    ("bcmath", bcmath::register),
    ("calendar", calendar::register),
    #[cfg(feature = "exif")]
    ("exif", exif::register),
    #[cfg(feature = "gmp")]
    ("gmp", gmp::register),
    #[cfg(feature = "sqlite")]
    ("sqlite3", sqlite3::register),
    #[cfg(feature = "sqlite")]
    ("PDO", pdo::register),
    #[cfg(feature = "sqlite")]
    ("pdo_sqlite", pdo::register_sqlite),
    #[cfg(feature = "sysv")]
    ("shmop", sysv::register_shmop),
    #[cfg(feature = "sysv")]
    ("sysvmsg", sysv::register_queues),
    #[cfg(feature = "sysv")]
    ("sysvsem", sysv::register_semaphores),
    #[cfg(feature = "sysv")]
    ("sysvshm", sysv::register_variables),
    #[cfg(feature = "zlib")]
    ("zlib", zlib::register),
    #[cfg(feature = "bz2")]
    ("bz2", bz2::register),
    #[cfg(feature = "curl")]
    ("curl", curl::register),
    #[cfg(feature = "phar")]
    ("Phar", phar::register),
    #[cfg(feature = "zip")]
    ("zip", zip::register),
    #[cfg(feature = "xsl")]
    ("xsl", xsl::register),
    #[cfg(feature = "openssl")]
    ("openssl", openssl::register),
    #[cfg(feature = "sodium")]
    ("sodium", sodium::register),
    #[cfg(feature = "fileinfo")]
    ("fileinfo", fileinfo::register),
    #[cfg(feature = "intl")]
    ("intl", intl::register),
];

/// Extensions of which only a part is there: they do not count as loaded.
const PARTS: &[(&str, Register)] = &[
    #[cfg(not(feature = "intl"))]
    ("intl", intl::register),
];

/// Registers everything in a VM.
#[cold]
pub fn register(vm: &mut Vm) {
    for &(name, register) in EXTENSIONS {
        vm.begin_extension(name);
        register(vm);
    }
    for &(name, register) in PARTS {
        vm.begin_part_of_extension(name);
        register(vm);
    }
    vm.end_extension();
    vm.declare_pure(pure::FUNCTIONS);
}
