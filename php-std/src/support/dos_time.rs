//! Dates and times as archives of the kind zip have them: DOS's, in local time, from 1980 on.

/// Seconds since 1970 for a date and a time of DOS.
pub(crate) fn from_dos(date: u16, time: u16) -> i64 {
    // SAFETY: the fields are plain numbers, and the call reads no more than them.
    unsafe {
        let mut fields: libc::tm = std::mem::zeroed();
        fields.tm_isdst = -1;
        fields.tm_year = i32::from(date >> 9) + 80;
        fields.tm_mon = i32::from(date >> 5 & 15) - 1;
        fields.tm_mday = i32::from(date & 31);
        fields.tm_hour = i32::from(time >> 11);
        fields.tm_min = i32::from(time >> 5 & 63);
        fields.tm_sec = i32::from(time & 31) * 2;
        libc::mktime(&mut fields)
    }
}

/// The date and time of DOS; those before 1980 are its first.
pub(crate) fn to_dos(seconds: i64) -> (u16, u16) {
    // SAFETY: the call writes the fields, or nothing.
    let fields = unsafe {
        let mut fields: libc::tm = std::mem::zeroed();
        libc::localtime_r(&seconds, &mut fields);
        fields
    };
    if fields.tm_year < 80 {
        return (1 << 5 | 1, 0);
    }
    let date = ((fields.tm_year - 80).min(127) as u16) << 9
        | ((fields.tm_mon + 1) as u16) << 5
        | fields.tm_mday as u16;
    let time =
        (fields.tm_hour as u16) << 11 | (fields.tm_min as u16) << 5 | (fields.tm_sec as u16) >> 1;
    (date, time)
}
