//! Prints oplines in the text form of opcache dumps.
