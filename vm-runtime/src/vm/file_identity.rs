//! Whether a file is still the one that was read: asked without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment as file systems tell it: seconds and nanoseconds.
type Moment = (i64, i64);

/// A state of a plain file. Whoever changes what is in a file gives it a new time of change, which no program
/// can set as it likes, so that equal states have equal contents: if time has passed between the change and the
/// look at it ([`FileIdentity::settled`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
    size: u64,
    /// When its contents were changed, or when somebody says they were.
    modified: Moment,
    /// When it was changed in any way.
    changed: Moment,
}

/// How old a change must be where file systems count whole seconds, or pairs of them. (PHP's
/// `opcache.file_update_protection`.)
const AGE_IN_SECONDS: Duration = Duration::from_secs(2);
/// Where they tell nanoseconds: these come from a clock that goes on each few milliseconds.
const AGE_IN_NANOSECONDS: Duration = Duration::from_millis(100);

impl FileIdentity {
    /// That of a file as it is now; None if it is no plain file, or none that can be looked at.
    pub fn of(path: &Path) -> Option<FileIdentity> {
        FileIdentity::from_metadata(&std::fs::metadata(path).ok()?)
    }

    /// That of a file which is looked at now, if a change that comes from now on gives it another one.
    pub fn settled(found: &Metadata) -> Option<FileIdentity> {
        let identity = FileIdentity::from_metadata(found)?;
        identity
            .is_settled_at(SystemTime::now())
            .then_some(identity)
    }

    fn from_metadata(found: &Metadata) -> Option<FileIdentity> {
        found.is_file().then(|| FileIdentity {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// True if a change that comes from now on gets another time than the last one has.
    fn is_settled_at(&self, now: SystemTime) -> bool {
        let age = match self.changed.1 {
            0 => AGE_IN_SECONDS,
            _ => AGE_IN_NANOSECONDS,
        };
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let latest = since.saturating_sub(age);
        let latest = (latest.as_secs() as i64, i64::from(latest.subsec_nanos()));
        self.changed < latest && self.modified < latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(modified: Moment, changed: Moment) -> FileIdentity {
        FileIdentity {
            device: 1,
            inode: 2,
            size: 3,
            modified,
            changed,
        }
    }

    #[test]
    fn what_has_just_been_changed_is_not_settled() {
        let now = UNIX_EPOCH + Duration::new(1000, 500_000_000);
        let settled = |modified, changed| state(modified, changed).is_settled_at(now);
        assert!(settled((900, 0), (999, 1)));
        assert!(settled((900, 0), (1000, 399_999_999)));
        assert!(!settled((900, 0), (1000, 400_000_001)));
        assert!(settled((900, 0), (998, 0)));
        assert!(!settled((900, 0), (999, 0)), "the file system has no more");
        assert!(!settled((1001, 0), (900, 5)), "modified in the future");
        assert!(!settled((900, 0), (1001, 5)), "changed in the future");
    }

    #[test]
    fn changes_of_a_file_are_seen() {
        let path = std::env::temp_dir().join(format!("opline-identity-{}", std::process::id()));
        std::fs::write(&path, "one").unwrap();
        let first = FileIdentity::of(&path).unwrap();
        assert_eq!(Some(first), FileIdentity::of(&path));
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, "two").unwrap();
        let times = std::fs::FileTimes::new();
        let before = UNIX_EPOCH + Duration::new(first.modified.0 as u64, first.modified.1 as u32);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_times(times.set_modified(before)).unwrap();
        let second = FileIdentity::of(&path).unwrap();
        assert_eq!(first.modified, second.modified);
        assert_ne!(first, second);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(FileIdentity::of(&path), None);
        assert_eq!(FileIdentity::of(&std::env::temp_dir()), None);
    }
}
