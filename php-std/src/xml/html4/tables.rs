//! The elements of HTML 4: which start tags end which elements, and how they are written. Recorded
//! from what libxml2 2.9 does.

/// Elements that end when one of the others starts.
const CLOSED_BY: &[(&str, &str)] = &[
    ("a", "a fieldset table td th"),
    ("address", "dd dl dt form li ul"),
    ("b", "center p td th"),
    ("big", "p"),
    ("caption", "col colgroup tbody tfoot thead tr"),
    ("col", "col colgroup tbody tfoot thead tr"),
    ("colgroup", "colgroup tbody tfoot thead tr"),
    ("dd", "dt"),
    ("dir", "dd dl dt form ul"),
    ("dl", "form li"),
    ("dt", "dd dl"),
    ("font", "center td th"),
    ("form", "form"),
    ("h1", "fieldset form li p table"),
    ("h2", "fieldset form li p table"),
    ("h3", "fieldset form li p table"),
    ("h4", "fieldset form li p table"),
    ("h5", "fieldset form li p table"),
    ("h6", "fieldset form li p table"),
    (
        "head",
        "a abbr acronym address b bdo big blockquote body br center cite code dd dfn dir div dl dt \
         em fieldset font form frameset h1 h2 h3 h4 h5 h6 hr i iframe img kbd li listing map menu ol \
         p pre q s samp small span strike strong sub sup table tt u ul var xmp",
    ),
    ("i", "center p td th"),
    ("legend", "fieldset"),
    ("li", "li"),
    ("menu", "dd dl dt form ul"),
    ("ol", "form ul"),
    ("option", "optgroup option"),
    (
        "p",
        "address blockquote body caption center col colgroup dd dir div dl dt fieldset form \
         frameset h1 h2 h3 h4 h5 h6 head hr li listing menu ol p pre table tbody td tfoot th title \
         tr ul xmp",
    ),
    ("pre", "dd dl dt fieldset form li table ul"),
    ("s", "p"),
    ("script", "noscript"),
    ("small", "p"),
    ("span", "td th"),
    ("strike", "p"),
    ("style", "body frameset"),
    ("tbody", "tbody tfoot"),
    ("td", "tbody td tfoot th tr"),
    ("tfoot", "tbody"),
    ("th", "tbody td tfoot th tr"),
    ("thead", "tbody tfoot"),
    ("title", "body frameset"),
    ("tr", "tbody tfoot tr"),
    ("tt", "p"),
    ("u", "p td th"),
    ("ul", "address form menu ol pre"),
];

/// All elements that are known.
const KNOWN: &str = "a abbr acronym address applet area b base basefont bdo big blockquote body br \
    button caption center cite code col colgroup dd del dfn dir div dl dt em embed fieldset font \
    form frame frameset h1 h2 h3 h4 h5 h6 head hr html i iframe img input ins isindex kbd label \
    legend li link map menu meta noframes noscript object ol optgroup option p param pre q s samp \
    script select small span strike strong style sub sup table tbody td textarea tfoot th thead \
    title tr tt u ul var";
/// Elements without content and end tag.
const EMPTY: &str = "area base basefont br col frame hr img input isindex link meta param";
/// Elements whose end tag is told to be missing when one around them ends.
const WANTS_END: &str = "b big center em font i s small strike strong sub sup table tt u";
/// Elements that stand in a line of text: no line ends around them.
const INLINE: &str = "a abbr acronym applet b basefont bdo big br button cite code del dfn embed \
    font i iframe img input ins kbd label map object q s samp script select small span strike \
    strong sub sup textarea tt u var";
/// Attributes that say all by being there.
const BOOLEAN: &str = "checked compact declare defer disabled ismap multiple nohref noresize \
    noshade nowrap readonly selected";

fn has(list: &str, name: &[u8]) -> bool {
    list.split_ascii_whitespace()
        .any(|known| known.as_bytes() == name)
}

/// True if the start of an element ends an open one.
pub(super) fn is_closed_by(open: &[u8], new: &[u8]) -> bool {
    let found = CLOSED_BY
        .binary_search_by(|(name, _)| name.as_bytes().cmp(open))
        .ok();
    found.is_some_and(|place| has(CLOSED_BY[place].1, new))
}

pub(super) fn is_known(name: &[u8]) -> bool {
    has(KNOWN, name)
}

pub(super) fn is_empty(name: &[u8]) -> bool {
    has(EMPTY, name)
}

pub(super) fn wants_end(name: &[u8]) -> bool {
    has(WANTS_END, name)
}

pub(super) fn is_inline(name: &[u8]) -> bool {
    has(INLINE, name)
}

pub(super) fn is_boolean(name: &[u8]) -> bool {
    has(BOOLEAN, name)
}

/// An end tag ends no element of a higher priority.
pub(super) fn priority(name: &[u8]) -> u32 {
    match name {
        b"div" => 150,
        b"td" | b"th" => 160,
        b"tr" => 170,
        b"thead" | b"tbody" | b"tfoot" => 180,
        b"table" => 190,
        b"head" | b"body" => 200,
        b"html" => 220,
        _ => 100,
    }
}
