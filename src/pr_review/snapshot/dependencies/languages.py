"""What has to be known of a language to look its names up, as data.

Languages that can use one another's definitions count as one. The word lists hold what
programs of the language use without defining it; they keep such names out of the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Again(Enum):
    """What a second definition of a name means: both stand, told apart by what they take; it takes
    the place of the first; or they exclude one another.
    """

    OVERLOADS = auto()
    REBINDS = auto()
    CLASHES = auto()


@dataclass(frozen=True, slots=True)
class Language:
    """How names work in a language.

    `selves` are the qualifiers that stand for the enclosing type. `lexical`: a plain name
    comes from its own file or from an import, never from a neighbouring file. `bare_members`:
    what stands in a type or module may be called there without a qualifier. `again` is
    what a second definition of a name at the same place means. `includes`: an import that takes no
    names brings all of them. `barrels` are the files that stand for their folder.
    """

    name: str
    suffixes: tuple[str, ...]
    builtins: frozenset[str]
    selves: frozenset[str] = frozenset()
    lexical: bool = False
    bare_members: bool = True
    again: Again = Again.OVERLOADS
    includes: bool = False
    barrels: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PYTHON = Language(
    "python",
    (".py", ".pyi"),
    _words(
        """
        abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
        compile complex delattr dict dir divmod enumerate eval exec filter float format frozenset
        getattr globals hasattr hash help hex id input int isinstance issubclass iter len list
        locals map max memoryview min next object oct open ord pow print property range repr
        reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
        __import__ Exception BaseException ValueError TypeError KeyError IndexError RuntimeError
        AttributeError NotImplementedError OSError IOError StopIteration AssertionError
        ImportError LookupError PermissionError FileNotFoundError TimeoutError UnicodeDecodeError
        NotImplemented Ellipsis
        """
    ),
    again=Again.REBINDS,
    selves=_words("self cls super"),
    lexical=True,
    bare_members=False,
    barrels=_words("__init__.py __init__.pyi"),
)
ECMA = Language(
    "ecma",
    (
        ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro",
    ),
    _words(
        """
        AbortController AbortSignal AggregateError Array ArrayBuffer BigInt Blob Boolean Buffer
        Date Error EvalError Event EventTarget FormData Function Headers Infinity Int32Array Intl
        JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp
        Request Response Set String Symbol SyntaxError TextDecoder TextEncoder TypeError URL
        URLSearchParams Uint8Array WeakMap WeakRef WeakSet WebSocket Worker Record Partial Pick
        Omit Required Readonly ReturnType Parameters Awaited NonNullable Exclude Extract alert
        atob btoa cancelAnimationFrame clearInterval clearTimeout console decodeURI
        decodeURIComponent encodeURI encodeURIComponent eval fetch globalThis import isFinite isNaN
        parseFloat parseInt process queueMicrotask requestAnimationFrame require setImmediate
        setInterval setTimeout structuredClone super undefined window document module exports
        describe it test expect beforeEach afterEach beforeAll afterAll vi jest
        """
    ),
    again=Again.CLASHES,
    selves=_words("this super"),
    lexical=True,
    bare_members=False,
    barrels=_words(
        "index.ts index.tsx index.mts index.cts index.js index.jsx index.mjs index.cjs"
    ),
)  # fmt: skip
GO = Language(
    "go",
    (".go",),
    _words(
        """
        any append bool byte cap clear close comparable complex complex64 complex128 copy delete
        error false float32 float64 imag int int8 int16 int32 int64 iota len make max min new nil
        panic print println real recover rune string true uint uint8 uint16 uint32 uint64 uintptr
        func
        """
    ),
    again=Again.CLASHES,
)
RUST = Language(
    "rust",
    (".rs",),
    _words(
        """
        Some None Ok Err Box Vec String Option Result Default Clone Copy Debug Display Drop Eq
        Hash From Into Iterator IntoIterator Fn FnMut FnOnce Ord PartialEq PartialOrd Send Sized
        Sync ToOwned ToString TryFrom TryInto AsRef AsMut Self drop str bool char u8 u16 u32 u64
        u128 usize i8 i16 i32 i64 i128 isize f32 f64 assert assert_eq assert_ne cfg column concat
        dbg debug_assert debug_assert_eq debug_assert_ne env eprint eprintln file format
        format_args include include_bytes include_str line matches module_path option_env panic
        print println stringify thread_local todo unimplemented unreachable vec write writeln
        derive doc allow test inline must_use
        """
    ),
    again=Again.CLASHES,
    selves=_words("self Self"),
    lexical=True,
    barrels=_words("mod.rs lib.rs main.rs"),
)
JVM = Language(
    "jvm",
    (".java", ".kt", ".kts", ".scala"),
    _words(
        """
        Any Array ArrayList Boolean Byte Character Class Collection Comparable Deprecated Double
        Either Enum Error Exception Float Function FunctionalInterface Future HashMap HashSet
        IllegalArgumentException IllegalStateException Int Integer Iterable Iterator Left List
        Long Map Math MutableList MutableMap None NullPointerException Nothing Number Object
        Option Optional Override Pair Right Runnable RuntimeException SafeVarargs Seq Set Short
        Some String StringBuilder Supplier SuppressWarnings System Thread Throwable Try Unit
        UnsupportedOperationException Void also apply arrayOf assert buildList buildString check
        checkNotNull emptyList emptyMap emptySet error lazy let listOf listOfNotNull mapOf
        mutableListOf mutableMapOf mutableSetOf print println repeat require requireNotNull run
        runCatching setOf super this to with
        """
    ),
    selves=_words("this super"),
)
RUBY = Language(
    "ruby",
    (".rb", ".rake", ".gemspec"),
    _words(
        """
        Array ArgumentError BasicObject Class Comparable Date DateTime Dir Enumerable Enumerator
        Exception File Float Hash IO Integer Kernel KeyError Math Module NotImplementedError
        NilClass Numeric Object Proc Random Range Regexp RuntimeError Set StandardError String
        Struct Symbol Thread Time TypeError abort alias_method at_exit attr_accessor attr_reader
        attr_writer autoload binding block_given? catch define_method exit extend fail format gets
        include instance_variable_get instance_variable_set lambda loop module_function p prepend
        print printf private private_constant proc protected public public_send puts raise rand
        require require_relative respond_to? send sleep sprintf super throw warn
        belongs_to has_many has_one validates scope before_action after_action delegate describe
        context it expect let before after
        """
    ),
    again=Again.REBINDS,
    selves=_words("self super"),
    includes=True,
)
C = Language(
    "c",
    (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    _words(
        """
        NULL abort assert bool calloc char double exit float fprintf free int int16_t int32_t
        int64_t int8_t long make_shared make_unique malloc map memcmp memcpy memmove memset move
        pair printf realloc shared_ptr short size_t sizeof snprintf sprintf static_assert std
        strcmp strcpy string strlen strncmp strncpy uint16_t uint32_t uint64_t uint8_t unique_ptr
        unsigned vector void forward
        """
    ),
    selves=_words("this"),
    includes=True,
)
CSHARP = Language(
    "csharp",
    (".cs",),
    _words(
        """
        Action ArgumentException ArgumentNullException Attribute Console Convert DateTime
        Dictionary Enum Enumerable Exception Func Guid HashSet IDisposable IEnumerable IList
        InvalidOperationException List Math NotImplementedException Nullable Object String Task
        Tuple Type ValueTask base bool decimal double int long nameof object sizeof string this
        typeof
        """
    ),
    selves=_words("this base"),
)
PHP = Language(
    "php",
    (".php",),
    _words(
        """
        ArrayAccess Closure Countable DateTime DateTimeImmutable Error Exception
        InvalidArgumentException Iterator LogicException RuntimeException Throwable Traversable
        array array_filter array_key_exists array_keys array_map array_merge array_pop array_push
        array_shift array_values compact count define defined empty explode file_get_contents
        function_exists implode in_array intval is_array is_callable is_int is_null is_numeric
        is_string isset json_decode json_encode max min preg_match preg_replace print_r printf
        sprintf str_replace strlen strpos strtolower strtoupper substr trim unset var_dump
        """
    ),
    again=Again.CLASHES,
    selves=_words("this $this self static parent"),
    bare_members=False,
    includes=True,
)
SHELL = Language(
    "shell",
    (".sh", ".bash"),
    _words(
        """
        . : [ [[ alias awk basename bash bg cat cd chmod chown command cp curl cut date declare
        dirname docker echo env eval exec exit export expr false find getopts git grep head jq
        kill local ls make mkdir mktemp mv popd printf pushd pwd read readonly return rm rmdir
        sed set sh shift shopt sleep sort source sudo tail tar tee test touch tr trap true type
        ulimit umask unset wait wc wget which xargs
        """
    ),
    again=Again.CLASHES,
    includes=True,
)
SWIFT = Language(
    "swift",
    (".swift",),
    _words(
        """
        Any AnyObject Array Bool Character Codable Data Date Decodable Dictionary Double Encodable
        Equatable Error Float Hashable Identifiable Int Int64 Never Optional Result Self Set
        String Task UInt8 URL UUID Void abs assert assertionFailure fatalError max min
        precondition preconditionFailure print self stride super type zip
        """
    ),
    selves=_words("self super Self"),
)
LANGUAGES = (PYTHON, ECMA, GO, RUST, JVM, RUBY, C, CSHARP, PHP, SHELL, SWIFT)

# Members of the standard libraries' everyday types, in any language. On a value of unknown type
# they say nothing about which definition is meant.
COMMON_MEMBERS = _words(
    """
    Add All Any Close Contains Count Equal Error Errorf Fatal Fatalf First Get Last Len Lock Log
    Logf Name Next Print Printf Println RLock RUnlock Read Run Select Set Size Sprintf String
    ToList ToString Unlock Where Write Wrap Wrapf add addAll all and_then any append as_bytes
    as_deref as_mut as_ref as_str assign at await bind call catch ceil charAt clear clone close
    cloned code collect concat contains containsKey copied copy count debug decode default delete
    dict each each_with_index empty emit encode end endsWith ends_with endswith entries enumerate
    eq equals err error every exception exec exists expect extend fail fill filter filter_map
    finally find findIndex first flat flatMap flat_map flatten floor flush fmt fold forEach format
    fromEntries from_str get getItem getName get_mut get_or_insert_with getattr group has hasNext
    hasOwnProperty hash hashCode head id includes index indexOf info init insert into into_iter
    is_empty is_err is_none is_ok is_some isArray isEmpty isdigit items iter iter_mut join json key
    keys last lastIndexOf len length lines list load lock log lower lstrip main map map_err match
    max merge min name new next nil? none now of off ok ok_or on once open or or_default or_else
    or_insert orElse parse path pop popitem post pow present? print push push_str put query raise
    read reduce reject remove removeprefix removesuffix repeat replace reset resolve reverse round
    rstrip run save select send set setItem setdefault shift size skip slice some sort sort_by
    sorted splice split splitlines splitlines start start_with? starts_with startsWith startswith
    stop stream strip sub substring sum symmetric_difference tail take test text then title to_a
    to_h to_i to_owned to_s to_string to_sym to_vec toArray toFixed toISOString toJSON toList
    toLocaleString toLowerCase toString toUpperCase trim truncate type union uniq unwrap unwrap_or
    unwrap_or_default unwrap_or_else unshift update upper url use value valueOf values wait warn
    warning with write yield zip
    """
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """The language of a path by its suffix; None if names in it cannot be looked up."""
    dot = path.rfind(".")
    return _BY_SUFFIX.get(path[dot:]) if dot >= 0 else None
