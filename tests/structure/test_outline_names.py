"""What an outline names in each language beyond plain functions and types."""

from __future__ import annotations

from pathlib import Path

from steadyhand.errors import Kind
from steadyhand.plan.edit import Delete, Insert, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.code.reader import code_of
from steadyhand.structure.node import Refusal
from steadyhand.structure.target import parse_address
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.real_files import CORPUS
from tests.structure.laws import outline_of
from tests.table import table

LINKAGE = """\
#ifdef __cplusplus
extern "C" {
#endif

int f(int);

#ifdef __cplusplus
}
#endif
"""

ROUTINES = """\
PRAGMA foreign_keys = ON;
CREATE TABLE t (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  o INTEGER COLLATE NOCASE,
  FOREIGN KEY (o) REFERENCES u (id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TRIGGER trg AFTER INSERT ON t WHEN NEW.o IS NULL BEGIN
  UPDATE t SET o = CASE WHEN 1 THEN 2 ELSE 3 END WHERE id = NEW.id;
  DELETE FROM u;
END;
GRANT SELECT ON t TO reader;
DELIMITER //
CREATE PROCEDURE p(x INT)
BEGIN
  IF x THEN
    SELECT 1;
  END IF;
END //
DELIMITER ;
CREATE OR REPLACE PROCEDURE q(a int) LANGUAGE plpgsql AS $$
BEGIN
  COMMIT;
END;
$$;
CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE INDEX i ON t (o);
"""

BATCHES = """\
CREATE TABLE [dbo].[Orders] (
  [Id] INT IDENTITY(1,1) NOT NULL,
  CONSTRAINT [PK_Orders] PRIMARY KEY CLUSTERED ([Id] ASC)
);
GO
CREATE PROCEDURE [dbo].[GetOrders] @id INT AS
BEGIN
  SET NOCOUNT ON;
  SELECT * FROM Orders WHERE Id = @id;
END
GO
CREATE TABLE p PARTITION OF u FOR VALUES FROM (1) TO (2);
CREATE TABLE u (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `o` (`id`) DEFERRABLE INITIALLY DEFERRED
) ENGINE=InnoDB;
INSERT INTO u (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET id = excluded.id;
COPY u (id) FROM stdin;
1
\\.
SET search_path = app, public;
CREATE TABLE x (id int) STRICT;
"""

DELIMITERS = """\
DELIMITER $$
CREATE PROCEDURE p()
BEGIN
  SELECT 1;
END$$
CREATE TRIGGER t AFTER DELETE ON x FOR EACH ROW BEGIN
  INSERT INTO l VALUES (OLD.id);
END$$
DELIMITER ;;
CREATE TRIGGER u BEFORE INSERT ON x FOR EACH ROW BEGIN SET NEW.a = ';;'; END ;;
CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC
  RETURN a + 1 ;;
DELIMITER ;
CREATE FUNCTION g(a INT) RETURNS INT DETERMINISTIC RETURN a + 1;
CREATE VIRTUAL TABLE v USING fts5(body, tokenize = 'porter');
CREATE TABLE x (
  `id` int NOT NULL,
  FULLTEXT KEY `k` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
"""

MACROS = """\
G_BEGIN_DECLS
API_EXPORT int f(const char *s);
static int __init g(void) { return 0; }
API int
h(void);
void (*signal(int n, void (*handler)(int)))(int);
struct S { int a; };
G_END_DECLS
int i;
"""

C_LIBRARY = """\
__BEGIN_DECLS
extern int f (int __x) __THROW __attribute__ ((__const__));
extern char *g (const char *__s)
     __THROW __nonnull ((1)) __wur;
__END_DECLS
DECLARE_LIST(entry)
extern API_DATA int limit;
extern API_DATA const char *const names[];
int main(int argc UNUSED, char **argv UNUSED) { return 0; }
"""

MODULE = """\
\\echo Use "CREATE EXTENSION x" to load this file. \\quit
CREATE FUNCTION f(internal) RETURNS bool AS 'MODULE_PATHNAME', 'f_1_2' LANGUAGE C STRICT;
CREATE FUNCTION g(IN page bytea, OUT lsn pg_lsn, OUT checksum smallint)
AS 'MODULE_PATHNAME', 'g'
LANGUAGE C STRICT PARALLEL SAFE;
CREATE VIEW v AS SELECT * FROM g('');
"""

CPP_MACROS = """\
class EXPORT_API Widget : public QObject {
  Q_OBJECT
public:
  void f();
};
struct W {
  MOCK_METHOD(int, g, (int), (override));
  explicit operator bool() const { return true; }
  operator int() const;
  int n;
};
extern template class V<int>;
TEST_CASE("a case", "[tag]") {
  REQUIRE(true);
}
namespace n { int f(); }
B::operator bool() const { return 1; }
"""

NAMES = {
    "several.c": ("int a, *b = 0;\nstruct S { int x, y; };\n", "a b S S.x S.y"),
    "typedefs.c": (
        (
            "typedef struct _A { int y; } A;\ntypedef struct { int z; } B, *PB;\n"
            "typedef union { int q; } U, **PU;\ntypedef enum { X } E, *PE;\ntypedef int I, *J;\n"
            "typedef void (*c)(int), (*d)(void);\nint f(void), *g(int), h;\n"
        ),
        "A A._A A.y B B.z PB U U.q PU E E.X PE I J c d f g h",
    ),
    "linkages.h": (LINKAGE.replace("#ifdef", "#if"), "f"),
    "references.cc": (
        "int a, &b = a, &&c = 1;\nauto [p, q] = f();\nclass K { int x, &y; int &z; };\n",
        "a b c p q K K.x K.y K.z",
    ),
    "arrays.c": (
        (
            "int m[2][3];\nchar *names[];\nint (*handler)(int);\nstruct S { int (*cb)(void); };\n"
            "typedef int T[4];\ntypedef struct S *P;\nstatic int (*table[4])(int);\n"
        ),
        "m names handler S S.cb T P table",
    ),
    "library.h": (C_LIBRARY, "f g limit names main"),
    "module.sql": (MODULE, "f g v"),
    "statics.cc": ('int A::count = 0;\nstd::string B::name{"x"};\n', "A.count B.name"),
    "enums.c": ("enum { A };\nenum E { B, C = 2 };\ntypedef enum { X } T;\n", "A E E.B E.C T T.X"),
    "linkage.h": (LINKAGE, "f"),
    "gtest.cc": ("TEST(Foo, Works) {\n  int x;\n}\n\nTEST_F(Foo, Fails) {\n}\n", "Foo.Works Foo.Fails"),
    "enums.cc": ("enum class Color { Red, Green };\nclass A { int a, b; };\n", "Color Color.Red Color.Green A A.a A.b"),
    "several.ts": ("const a = 1, b = () => 2;\nexport let c = 1, d = 2;\n", "a b c d"),
    "nested.ts": (
        "const api = { nested: { deep() {}, g: () => 2 }, top() {} };\n",
        "api api.nested.deep api.nested.g api.top",
    ),
    "enums.ts": ("enum E { A, B = 2 }\n", "E E.A E.B"),
    "several.js": ("var a = 1, b = 2;\nfor (var c = 1, d = 2; ; ) {}\nfunction f() { let g = 1, h = 2 }\n", "a b f"),
    "several.py": ("y = z = 4\na, b = 1, 2\nclass K:\n    r = s = 2\n", "y z a b K K.r K.s"),
    "chains.py": ("a, b = c, d = 1, 2\ne = (f, g) = [h, i] = 1, 2\nj = k = m = n = 1\n", "a b c d e f g h i j k m n"),
    "blocks.py": (
        (
            "if True:\n    C = 1\nwith open('x') as f:\n    D = 1\ntry:\n    import x\nexcept OSError:\n    x = None\n"
            "class K:\n    if True:\n        q = 1\ndef f():\n    if 1:\n        local = 2\n"
        ),
        "C D x K K.q f",
    ),
    "operators.rb": (
        "class A\n  def <=>(other)\n    1\n  end\n  class << self\n    def build\n    end\n  end\n  X = Y = 2\nend\n",
        "A A.<=> A.build A.X A.Y",
    ),
    "several.rb": (
        "A, B = 1, 2\nclass K\n  C ||= 3\n  D, E = 1, 2\n  alias f g\n  alias == f\nend\n",
        "A B K K.C K.D K.E K.f K.==",
    ),
    "requirements.swift": (
        "protocol P {\n  static func == (l: Self, r: Self) -> Bool\n  init(x: Int)\n}\n",
        "P P.== P.init",
    ),
    "operators.swift": (
        (
            "struct V {\n  var x = 1, y = 2\n  static func == (l: V, r: V) -> Bool { true }\n}\n"
            "enum E {\n  case a, b\n  case c(Int)\n}\nfunc ** (l: Int, r: Int) -> Int { l }\n"
        ),
        "V V.x V.y V.== E E.a E.b E.c **",
    ),
    "operators.cs": (
        (
            "class V {\n  int a, b = 2;\n  public static V operator +(V l, V r) => l;\n"
            "  public static implicit operator int(V v) { return 1; }\n}\nenum E { A, B = 1 }\n"
        ),
        "V V.a V.b V.+ V.int E E.A E.B",
    ),
    "receivers.kt": (
        (
            "fun String.shout(): String = this\nval Int.double: Int get() = this * 2\nfun List<Int>.total() {\n}\n"
            "enum class E {\n    A,\n    B;\n\n    fun f() {}\n}\n"
        ),
        "String.shout Int.double List.total E E.A E.B E.f",
    ),
    "Enums.java": ("enum E {\n    A,\n    B(1) { void f() {} };\n    int x, y;\n}\n", "E E.A E.B E.B.f E.x E.y"),
    "enums.rs": ("enum E {\n    A,\n    B(i32),\n    C { x: u8 },\n}\n", "E E.A E.B E.C E.C.x"),
    "several.go": (
        "package a\n\nvar a, b int\nconst p, q = 1, 2\ntype S struct {\n\tu, v int\n}\n",
        "a b p q S S.u S.v",
    ),
    "enums.php": (
        "<?php\nenum E: string {\n    case A = 'a';\n    const C = 1, D = 2;\n}\nclass K { public $a = 1, $b = 2; }\n",
        "E E.A E.C E.D K K.a K.b",
    ),
    "routines.sql": (ROUTINES, "t trg p q g i"),
    "batches.sql": (BATCHES, "dbo.Orders dbo.GetOrders p u x"),
    "macros.h": (MACROS, "f g h signal S S.a i"),
    "macros.cc": (CPP_MACROS, "Widget Widget.f W W.bool W.int W.n n n.f B.bool"),
    "accessors.cs": ("class A {\n  public event E Changed { add { } remove { } }\n}\n", "A A.Changed"),
    "lines.kt": (
        (
            "fun interface Run { fun run() }\nobject One { const val K = 1 }\n"
            "class C { companion object { fun of() = 1 } }\n"
            "abstract class A(val b: Int) : C(b), D { abstract fun f() }\n"
        ),
        "Run Run.run One One.K C C.Companion C.Companion.of A A.f",
    ),
    "unpacked.py": ("a, (b, *c) = 1, (2, 3)\n[d, e] = 1, 2\n*f, g = 1, 2\ntype L[T] = list[T]\n", "a b d e f g L"),
    "unpacked.ts": (
        "const { a, b: c, d = 1, ...e } = x;\nexport const [f, g] = y, [i, ...j] = z;\nconst { h } = z;\n",
        "a c d e f g i j h",
    ),
    "several.sh": ("export A=1 B=2\nC=3\nD=4 E=5\n", "A B C D E"),
    "delimiters.sql": (DELIMITERS, "p t u f g v x"),
    "types.swift": ("protocol P {\n  associatedtype T\n}\nlet (m, n) = (1, 2)\n", "P P.T m n"),
}


def names_of(path: str, text: str) -> list[str]:
    code = code_of(Source.of_text(text, path=path))
    assert not isinstance(code, Refusal), code
    assert code.errors == 0
    return [item.dotted for item in code.definitions]


@table("path", NAMES)
def test_every_name_is_in_the_outline(path: str) -> None:
    text, names = NAMES[path]
    assert names_of(path, text) == names.split()


@table("path", NAMES)
def test_every_name_can_be_changed_alone(path: str) -> None:
    text, names = NAMES[path]
    for name in names.split():
        if name.rpartition(".")[2].isidentifier() and name not in ("V.int", "C.Companion", "P.init"):
            result = edit(text, Replace(parse_address(f"symbol.name:{name}"), "Renamed"), path=path)
            assert result.error is None, f"{name}: {result.error}"
            assert len(names_of(path, result.text)) == len(names.split()), name


def test_what_has_no_name_that_could_be_asked_for_is_not_listed() -> None:
    entries = outline_of(Source.of_text("declare module '../..' {\n  interface A {}\n}\n", path="a.d.ts"))
    assert not isinstance(entries, Refusal)
    assert [parse_address(entry.address) for entry in entries] == [parse_address("symbol:../...A")]


def test_a_type_of_c_that_has_its_name_twice_is_one_definition() -> None:
    assert names_of("a.h", "typedef struct node {\n  struct node *next;\n} node;\n") == ["node", "node.next"]


@table("path", NAMES)
def test_a_definition_is_all_of_its_statement(path: str) -> None:
    """What the grammar cannot read of it is part of it as well: nothing is left of it where to insert it."""
    text, _ = NAMES[path]
    code = code_of(Source.of_text(text, path=path))
    assert not isinstance(code, Refusal)
    for item in code.definitions:
        line = Span(text.rfind("\n", 0, item.whole.start) + 1, (text + "\n").index("\n", item.whole.end))
        before, behind = text[line.start : item.whole.start].strip(), text[item.whole.end : line.end].strip()
        if not item.is_listed and before != "typedef":  # `typedef struct A {} B;` is B, and A inside it
            assert not before or "{" in before, item.dotted
            assert not behind.strip(" ;/$") or "}" in behind, item.dotted


def test_a_routine_goes_and_comes_with_its_delimiter() -> None:
    for name, gone in (("p", "CREATE PROCEDURE p()\nBEGIN\n  SELECT 1;\nEND$$\n"), ("f", None)):
        start, end = (DELIMITERS.index(each) for each in ("CREATE FUNCTION f", "DELIMITER ;\n"))
        address = parse_address(f"symbol:{name}")
        gone = gone or DELIMITERS[start:end]
        assert edit(DELIMITERS, Delete(address), path="a.sql").text == DELIMITERS.replace(gone, "")
        for given in (gone, gone.rstrip("$\n ")):
            changed = given.replace("1", "2")
            made = edit(DELIMITERS, Replace(address, changed), path="a.sql").text
            assert made == DELIMITERS.replace(gone, gone.replace("1", "2"))


@table("head", ["try:\n    import x\nexcept E:", "if a:  # why", "class A:", "with a as b:"])
def test_the_only_statement_of_a_suite_is_not_taken_away(head: str) -> None:
    for end in ("", "b = 1\n", "# c\n\nb = 1\n"):
        text = f"{head}\n    # c\n    a = 1\n{end}"
        refused = edit(text, Delete(parse_address("symbol:a")), path="a.py", policy=Policy(guards=frozenset()))
        assert refused.error is not None
        assert "only statement" in str(refused.error)
        both = text.replace("    a = 1\n", "    a = 1\n    c = 2\n")
        assert edit(both, Delete(parse_address("symbol:c")), path="a.py").text == text


def test_one_of_several_names_goes_comes_and_changes() -> None:
    assert edit("int a, *b = 0;\n", Delete(parse_address("symbol:a")), path="a.c").text == "int *b = 0;\n"
    assert edit("int a, *b = 0;\n", Delete(parse_address("symbol:b")), path="a.c").text == "int a;\n"
    text = "const a = 1, b = 2;\n"
    assert edit(text, Replace(parse_address("symbol:b"), "b = 3"), path="a.ts").text == "const a = 1, b = 3;\n"
    put = Insert(parse_address("symbol:b"), "c = 3", where="after")
    assert edit(text, put, path="a.ts").text == "const a = 1, b = 2, c = 3;\n"


def test_a_statement_that_is_the_definition_of_several_names_is_replaced_not_deleted() -> None:
    refused = edit("y = z = 4\n", Delete(parse_address("symbol:z")), path="a.py")
    assert refused.error is not None
    assert refused.error.kind == Kind.BAD_REQUEST
    assert edit("y = z = 4\n", Replace(parse_address("symbol:z"), "y = 4"), path="a.py").text == "y = 4\n"


def test_a_grammar_that_goes_back_for_ever_is_stopped() -> None:
    """The grammar of Kotlin looks for the end of a text from the same place for minutes, though this is short."""
    text = Path(CORPUS / "kotlin" / "crlf.kt").read_bytes().decode()
    put = Insert(parse_address("symbol[1]:Store.run"), "# T\n\ntext\n", where="end")
    refused = edit(text, put, path="crlf.kt")
    assert refused.error is not None
    assert refused.error.kind == Kind.BREAKS_SYNTAX
