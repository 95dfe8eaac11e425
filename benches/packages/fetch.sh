#!/usr/bin/env bash
# Fetches real PHP packages from Debian, unpacked and not installed, into the folder that is given: those that are
# named, else those that the programs beside this script drive. Their code is nobody's here.
#
#   benches/packages/fetch.sh FOLDER [PACKAGE...]
#   OPLINE_PACKAGES=FOLDER target/release/opline benches/packages/parsedown.php
set -euo pipefail
folder=$(realpath -m "${1:?a folder}")
shift
[ $# -gt 0 ] || set -- \
    php-brick-math php-dflydev-dot-access-data php-doctrine-inflector php-doctrine-lexer php-fpdf \
    php-geshi php-league-commonmark php-league-config php-masterminds-html5 \
    php-monolog php-nette-schema php-nette-utils php-nikic-fast-route php-parsedown php-parser \
    php-phpmyadmin-sql-parser php-psr-cache php-psr-container php-psr-event-dispatcher php-psr-log \
    php-symfony-cache php-symfony-cache-contracts php-symfony-console \
    php-symfony-deprecation-contracts php-symfony-expression-language php-symfony-polyfill-php80 \
    php-symfony-polyfill-php81 php-symfony-service-contracts php-symfony-string \
    php-symfony-var-exporter php-symfony-yaml php-twig smarty4
mkdir -p "$folder/archives"
cd "$folder/archives"
for package in "$@"; do
    apt-get download -q "$package" >/dev/null || echo "not to be had: $package" >&2
done
for archive in *.deb; do
    dpkg -x "$archive" "$folder"
done
