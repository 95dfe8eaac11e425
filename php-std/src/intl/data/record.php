<?php
// Writes what ICU's resource bundles say of locales into a file that is read where it lies:
//     php84-all record.php locales.pack
// The data are those of Unicode's CLDR. What stands in the file is said in `pack.rs`.

/** Of numbers all but what only shortens them, which PHP 8.4 has no styles for. */
const NUMBERS = ['default' => true, 'native' => true, 'traditional' => true, 'finance' => true, 'minimumGroupingDigits' => true, '*' => [
    'patterns' => true, 'symbols' => true,
]];

/** The parts of each bundle that are taken; true is all of a part. */
const PARTS = [
    'main' => [null, [
        '%%Parent' => true,
        'NumberElements' => NUMBERS,
        'calendar' => ['gregorian' => [
            'AmPmMarkers' => true, 'AmPmMarkersAbbr' => true, 'AmPmMarkersNarrow' => true, 'DateTimePatterns' => true,
            'DateTimePatterns%atTime' => true, 'appendItems' => true, 'availableFormats' => true,
            'dayNames' => true, 'dayPeriod' => true, 'eras' => true, 'monthNames' => true, 'quarters' => true,
        ]],
        'fields' => ['day' => ['relative' => true]],
        'listPattern' => true,
        'layout' => true,
    ]],
    'curr' => ['ICUDATA-curr', [
        'Currencies' => true, 'Currencies%narrow' => true,
    ]],
    'lang' => ['ICUDATA-lang', [
        'Keys' => true, 'Languages' => true, 'Scripts' => true, 'Scripts%stand-alone' => true, 'Types' => true, 'Variants' => true,
        'codePatterns' => true, 'localeDisplayPattern' => true,
    ]],
    'region' => ['ICUDATA-region', ['Countries' => true]],
    'zone' => ['ICUDATA-zone', ['zoneStrings' => true]],
    'rbnf' => ['ICUDATA-rbnf', ['RBNFRules' => true]],
];

/** Bundles that belong to no locale. */
const SUPPLEMENTS = [
    'supplementalData' => [null, ['calendarPreferenceData', 'parentLocales', 'timeData', 'weekData']],
    'currencyData' => ['ICUDATA-curr', ['CurrencyMap', 'CurrencyMeta']],
    'metaZones' => [null, ['mapTimezones', 'metazoneInfo', 'primaryZones']],
    'timezoneTypes' => [null, ['bcpTypeAlias', 'ianaMap', 'typeAlias', 'typeMap']],
    'zoneinfo64' => [null, ['Names', 'Regions', 'TZVersion']],
    'windowsZones' => [null, ['mapTimezones']],
    'plurals' => [null, ['locales', 'locales_ordinals', 'rules']],
    'dayPeriods' => [null, ['locales', 'rules']],
    'numberingSystems' => [null, ['numberingSystems']],
    'metadata' => [null, ['alias', 'defaultContent']],
    'currencyNumericCodes' => [null, ['codeMap']],
];

/** A value of ICU's as plain arrays, strings and numbers. */
function plain(mixed $value, array|true $wanted = true): mixed
{
    if (!$value instanceof ResourceBundle) {
        return $value;
    }
    $plain = [];
    foreach ($value as $key => $part) {
        if ($wanted === true) {
            $plain[$key] = plain($part);
        } elseif (isset($wanted[$key]) || isset($wanted['*'])) {
            $plain[$key] = plain($part, $wanted[$key] ?? $wanted['*']);
        }
    }
    return $plain;
}

final class Pack
{
    private array $keys = [];
    private string $data = '';
    private array $known = [];

    /** Numbers all keys, in their order. */
    private function collect(mixed $value): void
    {
        if (is_array($value)) {
            foreach ($value as $key => $part) {
                if (!array_is_list($value)) {
                    $this->keys[(string) $key] = true;
                }
                $this->collect($part);
            }
        }
    }

    private function place(string $bytes, int $tag): int
    {
        return $this->known["$tag$bytes"] ??= $this->append($bytes, $tag);
    }

    private function append(string $bytes, int $tag): int
    {
        if ($tag !== 0) {
            $this->data .= str_repeat("\0", -strlen($this->data) & 3);
        }
        $offset = strlen($this->data);
        $this->data .= $bytes;
        return $tag << 28 | $offset;
    }

    private static function length(int $length): string
    {
        return $length < 0x80 ? chr($length) : chr($length & 0x7f | 0x80) . self::length($length >> 7);
    }

    private function node(mixed $value): int
    {
        if (is_int($value)) {
            return 3 << 28 | $value & 0xfffffff;
        }
        if (!is_array($value)) {
            return $this->place(self::length(strlen((string) $value)) . $value, 0);
        }
        if (array_is_list($value)) {
            $parts = array_map($this->node(...), $value);
            return $this->place(pack('V*', count($parts), ...$parts), 2);
        }
        ksort($value, SORT_STRING);
        $keys = $parts = '';
        foreach ($value as $key => $part) {
            $keys .= pack('v', $this->keys[(string) $key]);
            $parts .= pack('V', $this->node($part));
        }
        $padding = str_repeat("\0", -strlen($keys) & 3);
        return $this->place(pack('V', count($value)) . $keys . $padding . $parts, 1);
    }

    public function write(array $value): string
    {
        $this->collect($value);
        ksort($this->keys, SORT_STRING);
        $names = array_map(strval(...), array_keys($this->keys));
        $this->keys = array_flip($names);
        $this->data = str_repeat("\0", 12);
        $root = $this->node($value);
        $table = $this->node($names);
        return substr_replace($this->data, pack('VVV', 1, $root, $table), 0, 12);
    }
}

$all = [];
foreach (PARTS as $name => [$bundle, $wanted]) {
    $locales = ResourceBundle::getLocales($bundle ?? '') ?: ResourceBundle::getLocales('');
    sort($locales, SORT_STRING);
    foreach (['root', ...$locales] as $locale) {
        $resources = ResourceBundle::create($locale, $bundle, false);
        // Without resources of its own, a locale gives those of another one, or those of an alias.
        if ($resources !== null && intl_get_error_code() === U_ZERO_ERROR) {
            $all[$name][$locale] = plain($resources, $wanted);
        }
    }
}
foreach (SUPPLEMENTS as $name => [$bundle, $wanted]) {
    $resources = ResourceBundle::create($name === 'currencyData' ? 'supplementalData' : $name, $bundle, false);
    $all[$name] = plain($resources, array_fill_keys($wanted, true));
}
// Other names of locales: without the script that goes without saying, and old ones.
$names = ResourceBundle::getLocales('');
$candidates = ['no_NO_NY' => true, 'sr_YU' => true, 'sr_CS' => true];
foreach ($names as $name) {
    if (preg_match('/^([a-z]+)_[A-Z][a-z]{3}_([A-Z]+)$/', $name, $parts)) {
        $candidates["$parts[1]_$parts[2]"] = true;
    }
}
foreach ($all['metadata']['alias']['language'] as $old => $alias) {
    $candidates[$old] = true;
    foreach (preg_grep("/^{$alias['replacement']}_/", $names) as $name) {
        $candidates[$old . substr($name, strlen($alias['replacement']))] = true;
    }
}
$aliases = [];
foreach (array_diff(array_keys($candidates), $names) as $name) {
    try {
        $found = (new NumberFormatter((string) $name, NumberFormatter::DECIMAL))->getLocale(Locale::VALID_LOCALE);
    } catch (ValueError) {
        continue;
    }
    if ($found && $found !== 'en_US_POSIX' && !str_starts_with($name, $found)) {
        $aliases[$name] = $found;
    }
}
$all['aliases'] = $aliases;
// Weeks: their first day, how many days the first one of a year has, which days are at its end and when that begins.
foreach ($names as $name) {
    $calendar = IntlCalendar::createInstance('UTC', "$name@calendar=gregorian");
    $days = [$calendar->getFirstDayOfWeek(), $calendar->getMinimalDaysInFirstWeek()];
    foreach (range(1, 7) as $day) {
        $days[] = $kind = $calendar->getDayOfWeekType($day);
        $days[] = $kind < 2 ? 0 : $calendar->getWeekendTransition($day);
    }
    $all['weeks'][$name] = $days;
}
foreach (ResourceBundle::getLocales('') as $name) {
    $all['calendars'][$name] = iterator_to_array(IntlCalendar::getKeywordValuesForLocale('calendar', $name, true), false);
}

// Which locales have a collation, and whose.
foreach (ResourceBundle::getLocales('ICUDATA-coll') as $name) {
    $all['collations'][$name] = (new Collator($name))->getLocale(Locale::ACTUAL_LOCALE);
}
$all['names'] = ['version' => INTL_ICU_VERSION, 'data' => INTL_ICU_DATA_VERSION, 'locales' => ResourceBundle::getLocales('')];
foreach ($all as $name => $part) {
    fwrite(STDERR, "$name " . count($part) . ' ' . strlen((new Pack)->write($part)) . "\n");
}
file_put_contents($argv[1], (new Pack)->write($all));
