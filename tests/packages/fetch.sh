#!/usr/bin/env bash
# Fetches the packages that the programs beside this script drive from Debian, unpacked and not installed, into the
# folder that is given. They are of Debian 13: on another Debian, ask apt for that one's with APT_CONFIG.
#
#   tests/packages/fetch.sh FOLDER
#   OPLINE_PACKAGES=FOLDER cargo test --test packages -- --ignored
set -euo pipefail
folder=${1:?a folder}
names="phpunit php-twig php-league-commonmark php-parser php-nesbot-carbon php-doctrine-dbal php-monolog php-ramsey-uuid
    php-doctrine-inflector php-pimple php-phpmyadmin-sql-parser php-masterminds-html5 php-nette-schema
    php-vlucas-phpdotenv php-league-csv php-nikic-fast-route php-nyholm-psr7 php-phpstan-phpdoc-parser php-deepcopy
    php-json-schema composer php-symfony-string php-doctrine-orm php-guzzlehttp-guzzle php-tcpdf libphp-phpmailer
    libphp-adodb smarty4 php-league-html-to-markdown php-league-uri php-faker php-dragonmantank-cron-expression
    dokuwiki php-bacon-qr-code php-giggsey-libphonenumber php-matomo-device-detector php-lcobucci-jwt php-league-flysystem
    php-mockery php-mikey179-vfsstream php-di php-slim php-opis-closure php-laravel-serializable-closure
    php-tijsverkoyen-css-to-inline-styles php-voku-portable-ascii php-zumba-json-serializer php-ml-json-ld
    php-phpspec-prophecy php-proxy-manager php-brick-varexporter php-phpmyadmin-motranslator php-email-validator
    php-zeta-console-tools php-phpdocumentor-reflection-docblock php-twig-html-extra php-laravel-framework php-mf2
    php-net-url2 php-mail-mime php-text-figlet php-jshrink php-hamcrest"
# What they need, but for PHP itself.
all=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances $names |
    grep -E '^(php-|phpunit|composer|libphp-|smarty|jsonlint|dokuwiki)' | grep -vE '^php-(common|cli|all|[a-z]*-?dev|mbstring|xml|curl|intl|sqlite3|json|bcmath|gmp)$' | sort -u)
"$(dirname "$0")/../../benches/packages/fetch.sh" "$folder" $all
# Debian 13 has no PHP_CodeSniffer: the one of Debian 12.
sniffer=php-codesniffer_3.7.1-2_all.deb
curl -sSf -o "$folder/archives/$sniffer" "http://deb.debian.org/debian/pool/main/p/php-codesniffer/$sniffer"
dpkg -x "$folder/archives/$sniffer" "$folder"
