//! The extension's settings, and the default zone.

use vm_runtime::ini::{IniDefinition, OnChange, access};
use vm_runtime::vm::{PhpResult, Vm};

use super::zone::{Zone, region};

const fn setting(
    name: &'static str,
    default: &'static str,
    on_change: Option<OnChange>,
) -> IniDefinition {
    IniDefinition {
        name,
        default: Some(default),
        access: access::ALL,
        on_change,
    }
}

pub(super) static SETTINGS: &[IniDefinition] = &[
    setting("date.default_latitude", "31.7667", None),
    setting("date.default_longitude", "35.2333", None),
    setting("date.sunrise_zenith", "90.833333", None),
    setting("date.sunset_zenith", "90.833333", None),
    setting("date.timezone", "UTC", Some(change_zone)),
];

/// The zone that the script chose.
#[derive(Debug, Default)]
struct Zones {
    chosen: Option<Zone>,
    /// The zone of the setting.
    configured: Option<Zone>,
}

fn change_zone(vm: &mut Vm, value: Option<&[u8]>) -> bool {
    let name = value.unwrap_or_default();
    match region(name) {
        Some(region) => {
            vm.extensions.state::<Zones>().configured = Some(Zone::Region(region));
            true
        }
        None => {
            let name = vm_runtime::message::text(name).into_owned();
            let used = default_zone(vm).map_or_else(|_| String::new(), |zone| zone.name());
            let message = format!("Invalid date.timezone value '{name}', using '{used}' instead");
            if vm.current_frame.is_null() {
                vm.warning(format!("PHP Startup: {message}"));
            } else {
                vm.function_warning(message);
            }
            false
        }
    }
}

/// The zone of times that name none.
pub(crate) fn default_zone(vm: &mut Vm) -> PhpResult<Zone> {
    let state = vm.extensions.state::<Zones>();
    if let Some(zone) = state.chosen.as_ref().or(state.configured.as_ref()) {
        return Ok(zone.clone());
    }
    let zone = Zone::utc();
    state.configured = Some(zone.clone());
    Ok(zone)
}

/// Chooses the default zone; false if there is none by that name.
pub(super) fn set_default_zone(vm: &mut Vm, name: &[u8]) -> bool {
    let Some(region) = region(name) else {
        return false;
    };
    vm.extensions.state::<Zones>().chosen = Some(Zone::Region(region));
    true
}
