//! Names of tags.

/// A number in hexadecimal and a name on each line, ordered.
const IMAGE_TAGS: &str = include_str!("tags.txt");

/// Those of a section for positions, from 0 on.
const POSITION_TAGS: [&str; 31] = [
    "GPSVersion",
    "GPSLatitudeRef",
    "GPSLatitude",
    "GPSLongitudeRef",
    "GPSLongitude",
    "GPSAltitudeRef",
    "GPSAltitude",
    "GPSTimeStamp",
    "GPSSatellites",
    "GPSStatus",
    "GPSMeasureMode",
    "GPSDOP",
    "GPSSpeedRef",
    "GPSSpeed",
    "GPSTrackRef",
    "GPSTrack",
    "GPSImgDirectionRef",
    "GPSImgDirection",
    "GPSMapDatum",
    "GPSDestLatitudeRef",
    "GPSDestLatitude",
    "GPSDestLongitudeRef",
    "GPSDestLongitude",
    "GPSDestBearingRef",
    "GPSDestBearing",
    "GPSDestDistanceRef",
    "GPSDestDistance",
    "GPSProcessingMode",
    "GPSAreaInformation",
    "GPSDateStamp",
    "GPSDifferential",
];

/// The name of a tag of pictures.
pub(super) fn image_tag(number: u16) -> Option<&'static str> {
    IMAGE_TAGS.lines().find_map(|line| {
        let (hexadecimal, name) = line.split_once(' ')?;
        (u16::from_str_radix(hexadecimal, 16) == Ok(number)).then_some(name)
    })
}

/// The name of a tag of positions.
pub(super) fn position_tag(number: u16) -> Option<&'static str> {
    POSITION_TAGS.get(usize::from(number)).copied()
}

/// The name of a tag that says how files belong together.
pub(super) fn relation_tag(number: u16) -> Option<&'static str> {
    Some(match number {
        0x0001 => "InterOperabilityIndex",
        0x0002 => "InterOperabilityVersion",
        0x1000 => "RelatedFileFormat",
        0x1001 => "RelatedImageWidth",
        0x1002 => "RelatedImageHeight",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_names() {
        assert_eq!(image_tag(0x10e), Some("ImageDescription"));
        assert_eq!(image_tag(0), None);
        assert_eq!(position_tag(30), Some("GPSDifferential"));
        assert_eq!(position_tag(31), None);
    }
}
