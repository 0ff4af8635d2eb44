"""Small repositories, one for each way a language names what stands elsewhere."""

from __future__ import annotations

import pytest

from tests.snapshot.dependencies.repository import found, missed, repository

PYTHON = {
    "src/shop/__init__.py": "from .order import Order\nfrom .util import *\n",
    "src/shop/order.py": "class Base:\n    def close(self): ...\n\nclass Order(Base):\n"
    "    LIMIT = 3\n    def total(self): ...\n",
    "src/shop/util.py": "def tidy(x): ...\n",
    "src/shop/money/__init__.py": "",
    "src/shop/money/tax.py": "RATE = 1\ndef tax(x): ...\n",
}


@pytest.mark.parametrize(
    ("line", "imported", "expected"),
    [
        ("Order()", "from shop import Order", "Order src/shop/order.py:4"),
        ("Order()", "from . import Order", "Order src/shop/order.py:4"),
        ("shop.Order()", "import shop", "Order src/shop/order.py:4"),
        ("tidy(1)", "from shop import *", "tidy src/shop/util.py:1"),
        ("tidy(1)", "from shop import tidy", "tidy src/shop/util.py:1"),
        ("tax.tax(1)", "from shop.money import tax", "tax src/shop/money/tax.py:2"),
        ("t.RATE", "import shop.money.tax as t", "RATE src/shop/money/tax.py:1"),
        ("shop.money.tax.tax(1)", "import shop.money.tax", "tax src/shop/money/tax.py:2"),
        ("Order.total(1)", "from .order import Order", "total src/shop/order.py:6"),
        ("Order.LIMIT", "from .order import Order", "LIMIT src/shop/order.py:5"),
        ("o.total()", "from .order import Order", "total src/shop/order.py:6"),
    ],
)
def test_python(line: str, imported: str, expected: str) -> None:
    repo = repository(PYTHON | {"src/shop/a.py": f" {imported}\n def f(o):\n+    {line}\n"})
    assert f"{expected} < src/shop/a.py:3" in found(repo.resolve())


def test_python_members_of_the_enclosing_class() -> None:
    repo = repository(
        {
            "a.py": """
             class A:
                 def go(self):
            +        self.help_out(go())
                 def help_out(self): ...
             class B:
                 def help_out(self): ...
                 @property
                 def go(self): ...
            """
        }
    )
    assert found(repo.resolve()) == ["help_out a.py:4 < a.py:3"]
    assert missed(repo.resolve()) == ["unresolved go a.py:3"]


def test_python_members_of_a_field_and_everyday_names() -> None:
    repo = repository(
        {
            "app/a.py": """
             class A:
                 def f(self):
            +        self.disk_store.persist(self.get())
            """,
            "app/disk_store.py": "class DiskStore:\n    def persist(self): ...\n"
            "    def get(self): ...\n",
        }
    )
    assert found(repo.resolve()) == ["persist app/disk_store.py:2 < app/a.py:3"]


def test_python_inherited_members_are_found_through_imports() -> None:
    listing = (
        " from shop.order import Base\n class C(Base):\n     def f(self):\n+        self.hold()"
    )
    base = "class Base:\n    def hold(self): ...\n"
    repo = repository(PYTHON | {"src/shop/a.py": listing, "src/shop/order.py": base})
    assert found(repo.resolve()) == ["hold src/shop/order.py:2 < src/shop/a.py:4"]


TS = {
    "web/tsconfig.json": '{"compilerOptions": {"paths": {"~lib/*": ["./lib/*"]}}}',
    "web/lib/index.ts": "export * from './price'\nexport { Cart as Basket } from './cart'\n",
    "web/lib/price.ts": "export const price = (x: number) => x\nexport default function () {}\n",
    "web/lib/cart.ts": "export class Cart {\n  static empty() {}\n  addItem() {}\n}\n",
    "web/lib/api.ts": "export const api = {\n  load() {},\n}\nexport enum Color { Red }\n",
    "web/lib/main-menu.ts": "function inner() {}\nexport default inner\n"
    "export function mainMenu() { function price() {} }\n",
    "web/ui/Button.tsx": "export default function Button() { return null }\n",
    "packages/core/package.json": '{"name": "@org/core"}',
    "packages/core/src/index.ts": "export { run } from './run'\n",
    "packages/core/src/run.ts": "export function run() {}\n",
}


@pytest.mark.parametrize(
    ("line", "imported", "expected"),
    [
        ("price(1)", "import { price } from './lib'", "price web/lib/price.ts:1"),
        ("p(1)", "import { price as p } from './lib/price.js'", "price web/lib/price.ts:1"),
        ("price(1)", "import { price } from '~lib/price'", "price web/lib/price.ts:1"),
        ("lib.price(1)", "import * as lib from './lib/price'", "price web/lib/price.ts:1"),
        ("lib.price(1)", "import * as lib from './lib'", "price web/lib/price.ts:1"),
        ("new Basket()", "import { Basket } from './lib'", "Cart web/lib/cart.ts:1"),
        ("Cart.empty()", "import { Cart } from './lib/cart'", "empty web/lib/cart.ts:2"),
        ("x.addItem()", "import { Cart } from './lib/cart'", "addItem web/lib/cart.ts:3"),
        ("api.load()", "import { api } from './lib/api'", "load web/lib/api.ts:2"),
        ("Color.Red", "import { Color } from './lib/api'", "Color web/lib/api.ts:4"),
        ("m()", "import m from './lib/main-menu'", "mainMenu web/lib/main-menu.ts:3"),
        ("i()", "import i from './lib/price'", "default web/lib/price.ts:2"),
        ("d()", "import d from './lib/price'", "default web/lib/price.ts:2"),
        ("price(1)", "const { price } = require('./lib/price')", "price web/lib/price.ts:1"),
        ("run()", "import { run } from '@org/core'", "run packages/core/src/run.ts:1"),
    ],
)
def test_typescript(line: str, imported: str, expected: str) -> None:
    repo = repository(TS | {"web/a.ts": f" {imported}\n function f(x: any) {{\n+  {line}\n }}\n"})
    assert f"{expected} < web/a.ts:3" in found(repo.resolve())


def test_components_of_jsx() -> None:
    listing = " import Button from './ui/Button'\n+export const A = () => <Button />\n"
    repo = repository(TS | {"web/a.jsx": listing})
    assert found(repo.resolve()) == ["Button web/ui/Button.tsx:1 < web/a.jsx:2"]


GO = {
    "go.mod": "module example.com/shop\n",
    "order/order.go": "package order\n\ntype Order struct{}\n\n"
    "func (o *Order) Total() int { return 1 }\n",
    "order/build.go": "package order\n\nconst Limit = 3\n\nfunc Build() *Order { return nil }\n",
    "order/build_test.go": "package order\n\nfunc Build() {}\n",
    "cmd/util.go": "package main\n\nfunc tidy() {}\n",
}


@pytest.mark.parametrize(
    ("line", "imported", "expected"),
    [
        ("order.Build()", '"example.com/shop/order"', "Build order/build.go:5"),
        ("o.Build()", 'o "example.com/shop/order"', "Build order/build.go:5"),
        ("_ = order.Limit", '"example.com/shop/order"', "Limit order/build.go:3"),
        ("var x order.Order", '"example.com/shop/order"', "Order order/order.go:3"),
        ("Build()", '. "example.com/shop/order"', "Build order/build.go:5"),
        ("x.Total()", '"example.com/shop/order"', "Total order/order.go:5"),
        ("tidy()", '"fmt"', "tidy cmd/util.go:3"),
    ],
)
def test_go(line: str, imported: str, expected: str) -> None:
    listing = f" package main\n import {imported}\n func main() {{\n+\t{line}\n }}\n"
    repo = repository(GO | {"cmd/main.go": listing})
    assert f"{expected} < cmd/main.go:4" in found(repo.resolve())


def test_go_tests_see_helpers_of_their_package_tests() -> None:
    repo = repository(
        {
            "p/a_test.go": " package p\n func TestA(t *T) {\n+\tsetup(t)\n }",
            "p/b_test.go": "package p\nfunc setup(t *T) {}",
        }
    )
    assert found(repo.resolve()) == ["setup p/b_test.go:2 < p/a_test.go:3"]


RUST = {
    "crates/app/Cargo.toml": '[package]\nname = "app"\n',
    "crates/app/src/main.rs": "mod run;\nmod store;\npub fn top() {}\n",
    "crates/app/src/store/mod.rs": "mod disk;\npub use disk::Disk;\npub fn open() {}\n",
    "crates/app/src/store/disk.rs": "pub struct Disk;\n\nimpl Disk {\n"
    "    pub fn build() -> Self { Disk }\n"
    "    pub fn persist(&self) {\n    }\n}\n\npub enum Level { Low }\n",
    "crates/my-core/src/lib.rs": "mod model;\npub use model::*;\n",
    "crates/my-core/src/model.rs": "pub struct Model;\npub fn make_model() {}\n",
}


@pytest.mark.parametrize(
    ("line", "imported", "expected"),
    [
        ("open();", "use crate::store::open;", "open crates/app/src/store/mod.rs:3"),
        ("store::open();", "use crate::store;", "open crates/app/src/store/mod.rs:3"),
        ("crate::store::open();", "", "open crates/app/src/store/mod.rs:3"),
        ("super::top();", "", "top crates/app/src/main.rs:3"),
        ("let d: Disk;", "use crate::store::Disk;", "Disk crates/app/src/store/disk.rs:1"),
        ("Disk::build();", "use crate::store::Disk;", "build crates/app/src/store/disk.rs:4"),
        ("D::build();", "use crate::store::Disk as D;", "build crates/app/src/store/disk.rs:4"),
        ("x.persist();", "use crate::store::Disk;", "persist crates/app/src/store/disk.rs:5"),
        ("Level::Low;", "use crate::store::disk::Level;", "Low crates/app/src/store/disk.rs:9"),
        ("let m: Model;", "use my_core::Model;", "Model crates/my-core/src/model.rs:1"),
        ("make_model();", "use my_core::*;", "make_model crates/my-core/src/model.rs:2"),
        ("my_core::make_model();", "", "make_model crates/my-core/src/model.rs:2"),
    ],
)
def test_rust(line: str, imported: str, expected: str) -> None:
    repo = repository(
        RUST | {"crates/app/src/run.rs": f" {imported or '//'}\n fn f(x: X) {{\n+    {line}\n }}\n"}
    )
    assert f"{expected} < crates/app/src/run.rs:3" in found(repo.resolve())


def test_rust_members_of_the_type_and_helpers_of_a_test_module() -> None:
    repo = repository(
        {
            "src/lib.rs": """
             struct A;
             impl A {
                 fn go(&self) {
            +        self.help(); Self::made();
                 }
             }
             impl A { fn help(&self) {} fn made() {} }
             mod tests {
                 use super::*;
                 fn setup() {}
                 fn t() {
            +        setup();
                 }
             }
            """
        }
    )
    assert found(repo.resolve()) == [
        "help src/lib.rs:7 < src/lib.rs:4",
        "made src/lib.rs:7 < src/lib.rs:4",
        "setup src/lib.rs:10 < src/lib.rs:12",
    ]


MAIN = "app/src/main/java/org/x"
JAVA = {
    f"{MAIN}/Store.java": "package org.x;\npublic class Store {\n  static final int MAX = 1;\n"
    "  Store(int a) {}\n  static Store open() { return null; }\n  void persist() {}\n"
    "  void persist(int a) {\n  }\n}\n",
    f"{MAIN}/io/Files.java": "package org.x.io;\nclass Files {\n  static void copy() {}\n}\n",
    f"{MAIN}/io/Disk.java": "package org.x.io;\nclass Disk {}\n",
}


@pytest.mark.parametrize(
    ("line", "imported", "expected"),
    [
        ("new Store(1);", "", f"Store {MAIN}/Store.java:2"),
        ("Store s;", "", f"Store {MAIN}/Store.java:2"),
        ("Store.open();", "", f"open {MAIN}/Store.java:5"),
        ("int a = Store.MAX;", "", f"MAX {MAIN}/Store.java:3"),
        ("x.persist();", "", f"persist {MAIN}/Store.java:7"),
        ("new Disk();", "import org.x.io.Disk;", f"Disk {MAIN}/io/Disk.java:2"),
        ("new Disk();", "import org.x.io.*;", f"Disk {MAIN}/io/Disk.java:2"),
        ("copy();", "import static org.x.io.Files.copy;", f"copy {MAIN}/io/Files.java:3"),
        ("Files.copy();", "import org.x.io.Files;", f"copy {MAIN}/io/Files.java:3"),
    ],
)
def test_java(line: str, imported: str, expected: str) -> None:
    listing = f" package org.x; {imported}\n class A {{ void f() {{\n+    {line}\n }} }}\n"
    repo = repository(JAVA | {f"{MAIN}/A.java": listing})
    assert f"{expected} < {MAIN}/A.java:3" in found(repo.resolve())


def test_java_members_of_the_class_need_no_qualifier() -> None:
    repo = repository(
        JAVA
        | {
            f"{MAIN}/A.java": """
             package org.x;
             class A {
               void f() {
            +    persist(); this.other();
               }
               private void persist() {}
               private void other() {}
             }
            """
        }
    )
    assert found(repo.resolve()) == [
        f"persist {MAIN}/A.java:6 < {MAIN}/A.java:4",
        f"other {MAIN}/A.java:7 < {MAIN}/A.java:4",
    ]


RUBY = {
    "app/models/order_line.rb": "class OrderLine\n  LIMIT = 3\n"
    "  def self.build; end\n  def tally; end\nend\n",
    "app/services/shop/tax.rb": "module Shop\n  class Tax\n"
    "    def self.of(x)\n    end\n  end\nend\n",
    "lib/tool/run.rb": "def run_tool\nend\n",
    "app/models/helper.rb": "def assist\nend\n",
}


@pytest.mark.parametrize(
    ("line", "required", "expected"),
    [
        ("OrderLine.build", "", "build app/models/order_line.rb:3"),
        ("x = OrderLine", "", "OrderLine app/models/order_line.rb:1"),
        ("OrderLine::LIMIT", "", "LIMIT app/models/order_line.rb:2"),
        ("Shop::Tax.of(1)", "", "of app/services/shop/tax.rb:3"),
        ("Shop::Tax", "", "Tax app/services/shop/tax.rb:2"),
        ("run_tool(1)", "require 'tool/run'", "run_tool lib/tool/run.rb:1"),
        ("assist(1)", "require_relative 'helper'", "assist app/models/helper.rb:1"),
        ("order_line.tally(1)", "", "tally app/models/order_line.rb:4"),
    ],
)
def test_ruby(line: str, required: str, expected: str) -> None:
    listing = f" {required or '#'}\n class A\n   def f(x)\n+    {line}\n   end\n end\n"
    repo = repository(RUBY | {"app/models/a.rb": listing})
    assert f"{expected} < app/models/a.rb:4" in found(repo.resolve())


def test_go_functions_are_told_from_methods_of_that_name() -> None:
    methods = "type T struct{}\nfunc (t T) Build() {}\nfunc (t T) tidy() {}\n"
    repo = repository(
        GO
        | {
            "order/other.go": f"package order\n{methods}",
            "cmd/main.go": """
             package main
             import "example.com/shop/order"
             func main() {
            +	order.Build()
            +	tidy()
             }
             func (t T) tidy() {}
            """,
        }
    )
    assert found(repo.resolve()) == [
        "tidy cmd/util.go:3 < cmd/main.go:5",
        "Build order/build.go:5 < cmd/main.go:4",
    ]


@pytest.mark.parametrize(
    ("user", "line", "other", "text", "expected"),
    [
        (
            "src/main.c",
            "list_push(x);",
            "src/list.c",
            "void list_push(int x) {\n}\n",
            "list_push src/list.c:1",
        ),
        (
            "src/main.cpp",
            "Stack s;",
            "include/stack.hpp",
            "class Stack {\n void push_all();\n};\n",
            "Stack include/stack.hpp:1",
        ),
        (
            "Web/Page.cs",
            "new OrderStore();",
            "Data/OrderStore.cs",
            "class OrderStore {\n}\n",
            "OrderStore Data/OrderStore.cs:1",
        ),
        (
            "src/Web/Page.php",
            "OrderStore::fetchAll();",
            "src/Model/OrderStore.php",
            "<?php class OrderStore {\n static function fetchAll() {}\n}\n",
            "fetchAll src/Model/OrderStore.php:2",
        ),
        (
            "app/org/x/Page.kt",
            "val a = tallyUp(1)",
            "app/org/x/Sums.kt",
            "package org.x\nfun tallyUp(a: Int) = a\n",
            "tallyUp app/org/x/Sums.kt:2",
        ),
        (
            "app/org/x/Page.scala",
            "val a = OrderStore.fetchAll(1)",
            "app/org/x/OrderStore.scala",
            "object OrderStore {\n  def fetchAll(a: Int) = a\n}\n",
            "fetchAll app/org/x/OrderStore.scala:2",
        ),
        (
            "bin/run.sh",
            "tidy_up now",
            "bin/lib.sh",
            "tidy_up() {\n  rm x\n}\n",
            "tidy_up bin/lib.sh:1",
        ),
        (
            "Sources/App/Page.swift",
            "let a = OrderStore()",
            "Sources/App/OrderStore.swift",
            "class OrderStore {\n}\n",
            "OrderStore Sources/App/OrderStore.swift:1",
        ),
    ],
)
def test_other_languages(user: str, line: str, other: str, text: str, expected: str) -> None:
    """By folder, by the name of a file, and by the header that stands for it."""
    opening = {
        ".c": '#include "list.h"\n void f(int x) {',
        ".cpp": '#include "stack.hpp"\n void f() {',
        ".cs": "class Page { void F() {",
        ".php": "<?php use App\\Model\\OrderStore;\n function f() {",
        ".kt": "package org.x\n fun f() {",
        ".scala": "package org.x\n class A { def f() = {",
        ".sh": ". ./lib.sh\n f() {",
        ".swift": "func f() {",
    }[user[user.rindex(".") :]]
    closing = "}" * opening.count("{")
    headers = {"src/list.h": "void list_push(int x);\n"}
    listing = f" {opening}\n+{line}\n {closing}\n"
    repo = repository(headers | {user: listing, other: text})
    used = opening.count("\n") + 2
    assert f"{expected} < {user}:{used}" in found(repo.resolve())
