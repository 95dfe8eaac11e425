//! What a page itself tells of the session: the constant `SID`, and links with the name in them.

use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use super::state;
use crate::standard::rewrite::{self, Source};

/// Defines `SID`; adds the name to links if the client cannot have it from a cookie.
pub(super) fn tell(vm: &mut Vm) {
    let name = vm.ini.text("session.name").to_vec();
    let id = state(vm).id.clone().unwrap_or_default();
    let has_cookie = vm.ini.bool("session.use_cookies") && {
        let cookies = vm.global(b"_COOKIE").and_then(|cookies| cookies.array());
        cookies.is_some_and(|cookies| cookies.get_bytes(&name).is_some())
    };
    let only_cookies = vm.ini.bool("session.use_only_cookies");
    let sid = match has_cookie || only_cookies {
        true => Vec::new(),
        false => [&name, b"=".as_slice(), &id].concat(),
    };
    let sid: Value = vm.string(sid).into();
    vm.redefine_constant(b"SID", sid);
    if vm.ini.bool("session.use_trans_sid") && !only_cookies && !has_cookie {
        rewrite::reset(vm, Source::Session);
        rewrite::add(vm, Source::Session, &name, &id);
    }
}
