//! What `stream_get_meta_data()` tells of the encryption of a connection.

use rustls::ProtocolVersion;
use vm_runtime::value::Value;
use vm_runtime::vm::Vm;

use super::session::Session;
use super::suites;

impl Session {
    /// The entry `crypto`, once both ends have agreed.
    pub(crate) fn description(&self, vm: &mut Vm) -> Option<Value> {
        let version = match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_2 => "TLSv1.2",
            _ => "TLSv1.3",
        };
        let suite = self.connection.negotiated_cipher_suite()?;
        let suite = suites::named(suite.suite())?;
        let mut table = vm.new_array();
        for (name, text) in [("protocol", version), ("cipher_name", suite.name)] {
            let text = vm.string(text).into();
            table.make_mut(vm).set_bytes(name.as_bytes(), text);
        }
        table
            .make_mut(vm)
            .set_bytes(b"cipher_bits", suite.bits.into());
        let text = vm.string(version).into();
        table.make_mut(vm).set_bytes(b"cipher_version", text);
        if let Some(application) = self.connection.alpn_protocol() {
            let application = application.to_vec();
            let text = vm.string(application).into();
            table.make_mut(vm).set_bytes(b"alpn_protocol", text);
        }
        Some(table.into())
    }
}
