//! Questions to name servers, through the system's resolver: `dns_get_record` and those beside it.

use vm_runtime::function::Call;
use vm_runtime::value::{ArrayHandle, Value};
use vm_runtime::vm::{PhpResult, Vm};

use super::answer::{Answer, Data, Record};
use super::names::c_name;
use crate::support::{define, functions, list};

functions! {
    "dns_check_record(path $hostname, string $type = \"MX\"): bool" => dns_check_record,
    "checkdnsrr(path $hostname, string $type = \"MX\"): bool" => dns_check_record,
    "dns_get_record(path $hostname, int $type = DNS_ANY, &$authoritative_name_servers = null, &$additional_records = null, bool $raw = false): array|false" => dns_get_record,
    "dns_get_mx(string $hostname, &$hosts, &$weights = null): bool" => dns_get_mx,
    "getmxrr(string $hostname, &$hosts, &$weights = null): bool" => dns_get_mx,
}

/// A kind of record: its name, PHP's bit for it and its number in questions. `dns_get_record` asks in this order.
pub(super) struct Kind {
    pub(super) name: &'static str,
    bit: i64,
    pub(super) number: u16,
}

const fn kind(name: &'static str, bit: i64, number: u16) -> Kind {
    Kind { name, bit, number }
}

pub(super) static KINDS: &[Kind] = &[
    kind("A", 1, 1),
    kind("NS", 2, 2),
    kind("CNAME", 16, 5),
    kind("SOA", 32, 6),
    kind("PTR", 2048, 12),
    kind("HINFO", 4096, 13),
    kind("CAA", 8192, 257),
    kind("MX", 16384, MX),
    kind("TXT", 32768, 16),
    kind("AAAA", 134_217_728, 28),
    kind("SRV", 33_554_432, 33),
    kind("NAPTR", 67_108_864, 35),
    kind("A6", 16_777_216, 38),
];

const MX: u16 = 15;
const ANY: u16 = 255;
const DNS_ANY: i64 = 1 << 28;
const DNS_ALL: i64 = 251_721_779;

/// The largest answer that is read.
const LARGEST: usize = 65_536;

/// The class of the internet.
const INTERNET: i32 = 1;

/// Registers functions and constants.
#[cold]
pub(super) fn register(vm: &mut Vm) {
    vm.register_functions(FUNCTIONS);
    define(
        vm,
        &[
            ("DNS_A", 1i64),
            ("DNS_NS", 2),
            ("DNS_CNAME", 16),
            ("DNS_SOA", 32),
            ("DNS_PTR", 2048),
            ("DNS_HINFO", 4096),
            ("DNS_CAA", 8192),
            ("DNS_MX", 16384),
            ("DNS_TXT", 32768),
            ("DNS_SRV", 33_554_432),
            ("DNS_NAPTR", 67_108_864),
            ("DNS_AAAA", 134_217_728),
            ("DNS_A6", 16_777_216),
            ("DNS_ANY", DNS_ANY),
            ("DNS_ALL", DNS_ALL),
        ],
    );
}

/// Why there is no answer.
enum Failure {
    /// No such name, or nothing of that kind.
    Nothing,
    Temporary,
    Server,
    Other,
}

unsafe extern "C" {
    fn res_search(
        name: *const libc::c_char,
        class: libc::c_int,
        kind: libc::c_int,
        answer: *mut u8,
        length: libc::c_int,
    ) -> libc::c_int;
    fn __h_errno_location() -> *mut libc::c_int;
}

/// Asks the system's resolver.
fn ask(name: &[u8], kind: u16) -> Result<Vec<u8>, Failure> {
    let name = c_name(name);
    let mut answer = vec![0; LARGEST];
    // SAFETY: the name is zero-terminated, the buffer is passed with its length; the error is a number of this
    // thread.
    let (length, error) = unsafe {
        let place = answer.as_mut_ptr();
        let length = res_search(name.as_ptr(), INTERNET, kind.into(), place, LARGEST as i32);
        (length, *__h_errno_location())
    };
    match (usize::try_from(length), error) {
        (Ok(length), _) => {
            answer.truncate(length);
            Ok(answer)
        }
        // HOST_NOT_FOUND, TRY_AGAIN, NO_RECOVERY and NO_DATA of netdb.h.
        (Err(_), 1 | 4) => Err(Failure::Nothing),
        (Err(_), 2) => Err(Failure::Temporary),
        (Err(_), 3) => Err(Failure::Server),
        (Err(_), _) => Err(Failure::Other),
    }
}

fn dns_check_record(call: &mut Call<'_>) -> PhpResult<Value> {
    if call.bytes(0).is_empty() {
        return Err(call.value_error(0, "must not be empty"));
    }
    let wanted = match call.has(1) {
        true => call.bytes(1),
        false => b"MX",
    };
    let number = match wanted.eq_ignore_ascii_case(b"ANY") {
        true => Some(ANY),
        false => (KINDS.iter())
            .find(|kind| kind.name.as_bytes().eq_ignore_ascii_case(wanted))
            .map(|kind| kind.number),
    };
    let Some(number) = number else {
        return Err(call.value_error(1, "must be a valid DNS record type"));
    };
    let found = ask(call.bytes(0), number);
    Ok(found
        .is_ok_and(|answer| Answer::new(&answer).count() > 0)
        .into())
}

fn dns_get_mx(call: &mut Call<'_>) -> PhpResult<Value> {
    let answer = ask(call.bytes(0), MX);
    let (mut hosts, mut weights) = (Vec::new(), Vec::new());
    if let Ok(answer) = &answer {
        for record in Answer::new(answer).answers() {
            if let Some(Record {
                data: Data::Mx { priority, target },
                ..
            }) = record
            {
                hosts.push(call.vm.string(target).into());
                weights.push(i64::from(priority).into());
            }
        }
    }
    let found = !hosts.is_empty();
    let (hosts, weights) = (list(call.vm, hosts), list(call.vm, weights));
    call.assign(1, hosts);
    if call.count() > 2 {
        call.assign(2, weights);
    }
    Ok(found.into())
}

fn dns_get_record(call: &mut Call<'_>) -> PhpResult<Value> {
    if memchr::memchr(0, call.bytes(0)).is_some() {
        return Err(call.value_error(0, "must not contain any null bytes"));
    }
    let wanted = match call.has(1) {
        true => call.long(1),
        false => DNS_ANY,
    };
    let is_raw = call.bool(4);
    let numbers: Vec<u16> = if is_raw {
        match u16::try_from(wanted) {
            Ok(number) if number > 0 => vec![number],
            _ => {
                let problem = "must be between 1 and 65535 when argument #5 ($raw) is true";
                return Err(call.value_error(1, problem));
            }
        }
    } else if wanted == DNS_ANY {
        vec![ANY]
    } else if wanted & !DNS_ALL == 0 {
        let chosen = KINDS.iter().filter(|kind| wanted & kind.bit != 0);
        chosen.map(|kind| kind.number).collect()
    } else {
        return Err(call.value_error(1, "must be a DNS_* constant"));
    };
    let mut found = [Vec::new(), Vec::new(), Vec::new()];
    for number in numbers {
        let answer = match ask(call.bytes(0), number) {
            Ok(answer) => answer,
            Err(failure) => {
                let problem = match failure {
                    Failure::Nothing => continue,
                    Failure::Temporary => "A temporary server error occurred.",
                    Failure::Server => "An unexpected server failure occurred.",
                    Failure::Other => "DNS Query failed",
                };
                call.vm.function_warning(problem);
                give_others(call, [Vec::new(), Vec::new()]);
                return Ok(false.into());
            }
        };
        for (section, record) in Answer::new(&answer).records(is_raw) {
            let Some(record) = record else {
                call.vm
                    .function_warning("Unable to parse DNS data received");
                return Ok(false.into());
            };
            // Beside what was asked for stand names that lead to it.
            if section > 0 || number == ANY || record.kind == number {
                found[section].extend(described(call.vm, record, is_raw));
            }
        }
    }
    let [answers, others @ ..] = found;
    give_others(call, others);
    Ok(list(call.vm, answers))
}

/// Gives the name servers that know, and what they say besides, if it is asked for.
fn give_others(call: &mut Call<'_>, others: [Vec<Value>; 2]) {
    for (index, records) in [2, 3].into_iter().zip(others) {
        if call.count() > index {
            let records = list(call.vm, records);
            call.assign(index, records);
        }
    }
}

/// A row that is being put together.
struct Row<'a> {
    vm: &'a mut Vm,
    table: ArrayHandle,
}

impl Row<'_> {
    fn put(&mut self, name: &str, value: Value) -> &mut Self {
        let table = self.table.make_mut(self.vm);
        table.set_bytes(name.as_bytes(), value);
        self
    }

    fn text(&mut self, name: &str, text: impl AsRef<[u8]>) -> &mut Self {
        let text = self.vm.string(text).into();
        self.put(name, text)
    }

    fn number(&mut self, name: &str, number: impl Into<i64>) -> &mut Self {
        self.put(name, number.into().into())
    }
}

/// A record as an array; nothing if it is of a kind that PHP does not know.
fn described(vm: &mut Vm, record: Record, is_raw: bool) -> Option<Value> {
    let kind = KINDS.iter().find(|kind| kind.number == record.kind);
    let table = vm.new_array();
    let mut row = Row { vm, table };
    row.text("host", &record.host)
        .text("class", "IN")
        .number("ttl", record.seconds);
    if is_raw {
        row.number("type", record.kind);
    } else {
        row.text("type", kind?.name);
    }
    match record.data {
        Data::Raw(data) => row.text("data", data),
        Data::Address(address) => row.text("ip", address.to_string()),
        Data::LongAddress(address) => row.text("ipv6", address.to_string()),
        Data::Target(target) => row.text("target", target),
        Data::Mx { priority, target } => row.number("pri", priority).text("target", target),
        Data::Machine { processor, system } => row.text("cpu", processor).text("os", system),
        Data::Issuer { flags, tag, value } => row
            .number("flags", flags)
            .text("tag", tag)
            .text("value", value),
        Data::Texts(texts) => {
            row.text("txt", texts.concat());
            let texts: Vec<Value> = texts
                .iter()
                .map(|text| row.vm.string(text).into())
                .collect();
            let texts = list(row.vm, texts);
            row.put("entries", texts)
        }
        Data::Authority {
            server,
            mailbox,
            numbers: [serial, refresh, retry, expire, minimum],
        } => row
            .text("mname", server)
            .text("rname", mailbox)
            .number("serial", serial)
            .number("refresh", refresh)
            .number("retry", retry)
            .number("expire", expire)
            .number("minimum-ttl", minimum),
        Data::Service {
            numbers: [priority, weight, port],
            target,
        } => row
            .number("pri", priority)
            .number("weight", weight)
            .number("port", port)
            .text("target", target),
        Data::Pointer {
            numbers: [order, preference],
            texts: [flags, services, pattern],
            replacement,
        } => row
            .number("order", order)
            .number("pref", preference)
            .text("flags", flags)
            .text("services", services)
            .text("regex", pattern)
            .text("replacement", replacement),
        Data::Part {
            mask,
            address,
            chain,
        } => row
            .number("masklen", mask)
            .text("ipv6", address.to_string())
            .text("chain", chain),
    };
    Some(row.table.into())
}
