"""Kinds of files that nobody wrote by hand, as data: pattern, tier, what it is, where to look.

The kinds are those of github-linguist (https://github.com/github-linguist/linguist) and the
documentation of the ecosystems, written anew. What a person writes must not stand here
(`requirements.txt`, `package.json`, `go.mod`, `*.proto`, workflow files). The first rule that
holds for a path counts. `docs/generated-files.md` is made from this list.
"""

from __future__ import annotations

from pr_review.domain.ledger import Tier
from pr_review.snapshot.rules import Rule, Rules

_TESTS = frozenset(
    """
    test tests __tests__ testing spec specs e2e testdata test-data test_data fixtures fixture
    __fixtures__ __mocks__ mocks cypress playwright integration-tests integration_tests testutil
    testutils test-utils androidTest
    """.split()
)
_ENDINGS = ("-tests", "_tests")
# Below these a folder named `dist`, `out` or `vendor` is a part of somebody's code.
_CODE = frozenset(["src", "lib", "app", "pkg", "internal", "cmd", "source"])
_DOMAINS = frozenset(
    """
    modules components pages routes features services controllers models views domain domains
    templates docs
    """.split()
)
_LINGUIST = "https://github.com/github-linguist/linguist/blob/main/lib/linguist/generated.rb"
_VENDORED = "https://github.com/github-linguist/linguist/blob/main/lib/linguist/vendor.yml"


def _lock(ecosystem: str, patterns: str, source: str) -> Rule:
    return Rule(f"lockfile of {ecosystem}", Tier.GENERATED, patterns, source, data=True)


def _asset(what: str, patterns: str) -> Rule:
    return Rule(what, Tier.ASSET, patterns, data=True)


def _binary(what: str, patterns: str) -> Rule:
    return Rule(what, Tier.ASSET, patterns, data=True, binary=True)


def _tool(what: str, patterns: str, source: str = "", *, data: bool = False) -> Rule:
    return Rule(what, Tier.GENERATED, patterns, source, data=data)


LOCKFILES = (
    _lock(
        "npm",
        "package-lock.json npm-shrinkwrap.json",
        "https://docs.npmjs.com/cli/configuring-npm/package-lock-json",
    ),
    _lock("Yarn", "yarn.lock", "https://classic.yarnpkg.com/lang/en/docs/yarn-lock/"),
    _lock("pnpm", "pnpm-lock.yaml shrinkwrap.yaml", "https://pnpm.io/git#lockfiles"),
    _lock("Bun", "bun.lock bun.lockb", "https://bun.com/docs/pm/lockfile"),
    _lock("Deno", "deno.lock", "https://docs.deno.com/runtime/fundamentals/modules/"),
    _lock(
        "Cargo",
        "Cargo.lock Cargo.Bazel.lock",
        "https://doc.rust-lang.org/cargo/guide/cargo-toml-vs-cargo-lock.html",
    ),
    _lock(
        "Go", "go.sum go.work.sum Gopkg.lock glide.lock", "https://go.dev/ref/mod#go-sum-files"
    ),
    _lock(
        "Python's pylock.toml",
        "pylock.toml pylock.*.toml",
        "https://packaging.python.org/en/latest/specifications/pylock-toml/",
    ),
    _lock("Poetry", "poetry.lock", "https://python-poetry.org/docs/basic-usage/"),
    _lock("uv", "uv.lock", "https://docs.astral.sh/uv/concepts/projects/layout/"),
    _lock("PDM", "pdm.lock", "https://pdm-project.org/latest/usage/lockfile/"),
    _lock("Pipenv", "Pipfile.lock", "https://pipenv.pypa.io/en/latest/pipfile.html"),
    _lock("Pixi", "pixi.lock", "https://pixi.sh/latest/workspace/lockfile/"),
    _lock("Conda", "conda-lock.yml *.conda-lock.yml", "https://conda.github.io/conda-lock/"),
    _lock("Bundler", "Gemfile.lock gems.locked", "https://bundler.io/man/bundle-install.1.html"),
    _lock(
        "Composer",
        "composer.lock symfony.lock",
        "https://getcomposer.org/doc/01-basic-usage.md",
    ),
    _lock(
        "Mix and Rebar", "mix.lock rebar.lock", "https://hexdocs.pm/mix/Mix.Tasks.Deps.Get.html"
    ),
    _lock(
        "NuGet",
        "packages.lock.json project.assets.json paket.lock",
        "https://learn.microsoft.com/nuget/consume-packages/package-references-in-project-files",
    ),
    _lock(
        "Gradle",
        """
        gradle.lockfile buildscript-gradle.lockfile settings-gradle.lockfile
        dependency-locks/*.lockfile
        """,
        "https://docs.gradle.org/current/userguide/dependency_locking.html",
    ),
    _lock(
        "Maven in Bazel",
        "maven_install.json",
        "https://github.com/bazel-contrib/rules_jvm_external",
    ),
    _lock(
        "Bazel", "MODULE.bazel.lock cargo-bazel-lock.json", "https://bazel.build/external/lockfile"
    ),
    _lock(
        "Swift packages",
        "Package.resolved",
        "https://docs.swift.org/swiftpm/documentation/packagemanagerdocs/",
    ),
    _lock(
        "CocoaPods",
        "Podfile.lock",
        "https://guides.cocoapods.org/using/using-cocoapods.html",
    ),
    _lock("Carthage", "Cartfile.resolved", "https://github.com/Carthage/Carthage"),
    _lock("Dart", "pubspec.lock", "https://dart.dev/tools/pub/glossary#lockfile"),
    _lock(
        "Terraform and OpenTofu",
        ".terraform.lock.hcl",
        "https://developer.hashicorp.com/terraform/language/files/dependency-lock",
    ),
    _lock(
        "Helm", "Chart.lock requirements.lock", "https://helm.sh/docs/helm/helm_dependency_update/"
    ),
    _lock("Nix flakes", "flake.lock", "https://nix.dev/manual/nix/latest/command-ref/new-cli/nix3-flake"),
    _lock("Conan", "conan.lock", "https://docs.conan.io/2/tutorial/versioning/lockfiles.html"),
    _lock("vcpkg", "vcpkg-lock.json", "https://learn.microsoft.com/vcpkg/"),
    _lock("Spack", "spack.lock", "https://spack.readthedocs.io/en/latest/environments.html"),
    _lock("Cabal", "cabal.project.freeze", "https://cabal.readthedocs.io/"),
    _lock("Stack", "stack.yaml.lock", "https://docs.haskellstack.org/en/stable/topics/lock_files/"),
    _lock(
        "Julia",
        "Manifest.toml Manifest-v*.toml JuliaManifest.toml",
        "https://pkgdocs.julialang.org/v1/toml-files/",
    ),
    _lock("R", "renv.lock packrat.lock", "https://rstudio.github.io/renv/reference/lockfiles.html"),
    # Theirs hold the commands that build a package: not data.
    _tool(
        "lockfile of opam, dune and esy",
        "*.opam.locked opam.locked dune.lock/ esy.lock/",
        "https://opam.ocaml.org/doc/man/opam-lock.html",
    ),
    _lock("Carton", "cpanfile.snapshot", "https://metacpan.org/pod/Carton"),
    _lock("LuaRocks", "luarocks.lock", "https://github.com/luarocks/luarocks/blob/main/docs/pinning_versions_with_a_lock_file.md"),
    _lock("Crystal", "shard.lock", "https://crystal-lang.org/reference/latest/man/shards/"),
    _lock("Nim", "nimble.lock", "https://nim-lang.github.io/nimble/"),
    _lock("D", "dub.selections.json", "https://dub.pm/"),
    _lock("PureScript", "spago.lock", "https://github.com/purescript/spago"),
    _lock("Unity", "packages-lock.json", "https://docs.unity3d.com/Manual/upm-conflicts-auto.html"),
    _lock(
        "Homebrew, Chef and Puppet",
        "Brewfile.lock.json Policyfile.lock.json Berksfile.lock Puppetfile.lock",
        "https://docs.chef.io/policyfile/",
    ),
    _lock("npins and niv", "npins/sources.json nix/sources.json", "https://github.com/nmattia/niv"),
    _lock("Atlas migrations", "atlas.sum", "https://atlasgo.io/concepts/migration-directory-integrity"),
    _lock(
        "Prisma Migrate",
        "migration_lock.toml",
        "https://www.prisma.io/docs/orm/prisma-migrate/understanding-prisma-migrate/migration-histories",
    ),
    _lock("Devbox", "devbox.lock", "https://github.com/jetify-com/devbox"),
    _lock("Buf", "buf.lock", "https://github.com/bufbuild/buf"),
    _lock("mise", "mise.lock", "https://github.com/jdx/mise"),
    _lock("Jsonnet", "jsonnetfile.lock.json", "https://github.com/jsonnet-bundler/jsonnet-bundler"),
    # No tool is known to write these: a name that anybody may give excuses nothing.
    _tool("file that is named like a lockfile", "*.lock *.lock.json *.lockfile"),
)  # fmt: skip

VENDORED = (
    _tool(
        "installed package",
        """
        node_modules/ bower_components/ jspm_packages/ site-packages/ elm-stuff/ .venv/ .bundle/
        Pods/ Carthage/Build/ Carthage/Checkouts/ Godeps/_workspace/ Godeps/Godeps.json .eggs/
        .yarn/releases/ .yarn/plugins/ .yarn/sdks/ .yarn/cache/ .yarn/unplugged/ .pnp.cjs .pnp.js
        .pnp.loader.mjs
        """,
        _VENDORED,
    ),
    _tool(
        "vendored code",
        "third_party/ third-party/ thirdparty/ 3rdparty/ _vendor/ _vendored/ vendored/",
        _VENDORED,
    ),
    Rule(
        "vendored code in vendor/",
        Tier.GENERATED,
        "vendor/",
        "https://go.dev/ref/mod#vendoring",
        not_below=_CODE | _DOMAINS,
        # people sell things: an application, a package or a domain may have this name
        unless="vendor/*.py vendor/migrations/ vendor/management/ apps/vendor/ packages/vendor/",
    ),
    _tool(
        "copy of a known library",
        """
        jquery-[0-9]*.js jquery-ui-[0-9]*.js jquery.js jquery-ui.js bootstrap-[0-9]*.js
        bootstrap-[0-9]*.css bootstrap.bundle.js d3.v[0-9]*.js angular-[0-9]*.js react-[0-9]*.js
        vue-[0-9]*.js modernizr-[0-9]*.js modernizr.js normalize.css font-awesome.css
        swagger-ui-bundle.js swagger-ui-standalone-preset.js
        """,
        _VENDORED,
    ),
    _tool(
        "wrapper script of a build tool",
        "gradlew gradlew.bat mvnw mvnw.cmd",
        "https://docs.gradle.org/current/userguide/gradle_wrapper.html",
    ),
    _tool(
        "file of the autotools",
        """
        aclocal.m4 ltmain.sh config.guess config.sub install-sh depcomp libtool.m4 ltoptions.m4
        ltsugar.m4 ltversion.m4 lt~obsolete.m4
        """,
        _VENDORED,
    ),
)

OUTPUTS = (
    _tool(
        "source map",
        "*.map",
        "https://tc39.es/ecma426/",
        data=True,
    ),
    _tool(
        "minified code",
        """
        *.min.js *.min.mjs *.min.cjs *.min.css ?*-min.js ?*-min.css *.bundle.js *.chunk.js
        *.chunk.css
        """,
        _LINGUIST,
    ),
    Rule(
        "build output in dist/, out/ or build/",
        Tier.GENERATED,
        " ".join(
            f"{folder}/**/*.{suffix}"
            for folder in ("dist", "out", "build")
            for suffix in "js mjs cjs css html d.ts d.mts d.cts class json".split()
        ),
        "https://webpack.js.org/configuration/output/",
        not_below=_CODE | frozenset(["docs"]),
        # scripts of the build itself
        unless="""
        *.config.js *.config.mjs *.config.cjs *.conf.js build/webpack*.js build/rollup*.js
        build/gulp*.js build/build*.js build/vite*.js build/utils.js build/package.json
        """,
    ),
    _tool(
        "build output",
        """
        build/static/ build/classes/ build/generated/ build/intermediates/ build/outputs/
        build/libs/ build/reports/ build/tmp/ target/classes/ target/test-classes/ target/debug/
        target/release/ target/doc/ target/generated-sources/ target/generated-test-sources/
        target/site/ target/surefire-reports/ target/maven-status/ obj/Debug/ obj/Release/
        bin/Debug/ bin/Release/ CMakeFiles/ CMakeCache.txt *.egg-info/ __pycache__/ .dart_tool/
        """,
        "https://maven.apache.org/guides/introduction/introduction-to-the-standard-directory-layout.html",
    ),
    _tool(
        "output or cache of a framework",
        """
        .next/ .nuxt/ .svelte-kit/ .output/ .angular/ .parcel-cache/ .turbo/ .docusaurus/ .vercel/
        .expo/ .gradle/ .terraform/ .serverless/ storybook-static/ .mypy_cache/ .pytest_cache/
        .ruff_cache/ .tox/ *.tsbuildinfo next-env.d.ts auto-imports.d.ts worker-configuration.d.ts
        """,
        "https://nextjs.org/docs/app/api-reference/config/typescript",
    ),
    _tool(
        "coverage report",
        "htmlcov/ lcov-report/ .nyc_output/",
        "https://coverage.readthedocs.io/en/latest/cmd.html#html-reporting-coverage-html",
    ),
    _tool(
        "figures of test coverage",
        """
        lcov.info coverage-final.json coverage-summary.json coverage/clover.xml
        coverage/cobertura-coverage.xml .coverage
        """,
        "https://github.com/istanbuljs/istanbuljs/tree/main/packages/istanbul-reports",
        data=True,
    ),
    _tool(
        "project file of an editor",
        ".idea/ .vs/ *.iml *.xcworkspacedata *.xcuserstate xcuserdata/ *.nib",
        _LINGUIST,
    ),
)  # fmt: skip

CODEGEN = (
    _tool(
        "Protocol Buffers code",
        """
        *.pb.go *.pb.gw.go *.pb.validate.go *.pb.cc *.pb.h *.pb.c *.pb.rs *.pb.ts *.pb.swift
        *.pb-c.c *.pb-c.h *.upb.c *.upb.h *.pb.dart *.pbenum.dart *.pbjson.dart *.pbserver.dart
        *.pbgrpc.dart *_pb2.py *_pb2.pyi *_pb2_grpc.py *_pb2_grpc.pyi *_pb.js *_pb.ts *_pb.d.ts
        *_pb.rb *_services_pb.rb *_grpc_pb.js *_grpc_pb.d.ts *.grpc.swift *.connect.go *.twirp.go
        *.twirp.ts *_grpc_web_pb.js *.swagger.json
        """,
        "https://protobuf.dev/reference/",
    ),
    _tool(
        "Thrift code",
        """
        gen-go/ gen-py/ gen-java/ gen-nodejs/ gen-js/ gen-cpp/ gen-rb/ gen-php/ gen-netstd/
        gen-javabean/ gen-erl/ gen-hs/
        """,
        "https://thrift.apache.org/tutorial/",
    ),
    _tool("FlatBuffers code", "*_generated.h *_generated.rs", "https://flatbuffers.dev/flatc/"),
    _tool(
        "OpenAPI code",
        ".openapi-generator/ .swagger-codegen/ openapi_generated.go oas_*_gen.go",
        "https://openapi-generator.tech/docs/usage/",
    ),
    _tool(
        "GraphQL code",
        "graphql.schema.json schema.graphql.json possibleTypes.json models_gen.go",
        "https://the-guild.dev/graphql/codegen/plugins/other/introspection",
    ),
    _tool(
        "generated Dart code",
        "*.g.dart *.gr.dart *.freezed.dart *.mocks.dart *.config.dart *.chopper.dart",
        "https://dart.dev/tools/build_runner",
    ),
    _tool(
        "generated .NET code",
        """
        *.g.cs *.g.i.cs *.designer.cs *.designer.vb *.feature.cs *.generated.cs
        Migrations/*ModelSnapshot.cs
        """,
        "https://learn.microsoft.com/ef/core/managing-schemas/migrations/",
    ),
    _tool(
        "generated Go code",
        """
        zz_generated.*.go zz_generated_*.go *_generated.go *.gen.go *.generated.go wire_gen.go
        *_easyjson.go *_ffjson.go *_enumer.go *_bindata.go bindata.go bindata_assetfs.go *.zz.go
        """,
        "https://pkg.go.dev/cmd/go#hdr-Generate_Go_files_by_processing_source",
    ),
    _tool(
        "output of a parser generator or of Qt's",
        """
        *.tab.c *.tab.h *.tab.cc *.tab.cpp lex.yy.c parsetab.py *.interp moc_*.cpp qrc_*.cpp
        tree_sitter/parser.h node-types.json
        """,
        "https://www.gnu.org/software/bison/manual/html_node/Decl-Summary.html",
    ),
    _tool(
        "snapshot of a database's schema",
        """
        db/schema.rb db/structure.sql db/*_schema.rb db/*_structure.sql repo/structure.sql
        schema/*-schema.sql schema/*-schema.dump meta/*_snapshot.json meta/_journal.json
        .sqlx/query-*.json sqlx-data.json
        """,
        "https://guides.rubyonrails.org/active_record_migrations.html#schema-dumping-and-you",
    ),
    _tool(
        "file that says in its name that it is generated",
        """
        __generated__/ generated/ generated-sources/ generated_src/ *.generated.ts *.generated.tsx
        *.generated.js *.generated.mjs *.generated.jsx *.generated.d.ts *.generated.java
        *.generated.kt *.generated.swift *.generated.py *.generated.rb *.generated.rs
        *.generated.h *.generated.cpp *.generated.scala *.generated.php *.generated.css
        *.generated.sql *.generated.json *.generated.graphql *.gen.ts *.gen.tsx *.gen.js *.gen.rs
        *.gen.py *.gen.dart *.gen.cs *.gen.swift *.gen.kt *.gen.h *_generated.ts
        """,
    ),
)  # fmt: skip

RECORDED = (
    Rule(
        "recorded output of a test",
        Tier.SNAPSHOT,
        """
        __snapshots__/ __image_snapshots__/ *.snap *.snapshot *.golden *.ambr *.approved.txt
        *.received.txt *.verified.txt
        """,
        "https://jestjs.io/docs/snapshot-testing",
    ),
    Rule(
        "recorded output in a folder of tests",
        Tier.SNAPSHOT,
        "snapshots/ goldens/ golden/",
        below=_TESTS,
    ),
    Rule(
        "recorded traffic of a test",
        Tier.SNAPSHOT,
        " ".join(
            f"{folder}/**/*.{suffix}"
            for folder in ("cassettes", "vcr_cassettes")
            for suffix in ("yaml", "yml", "json")
        ),
        "https://vcrpy.readthedocs.io/en/latest/usage.html",
        data=True,
        below=_TESTS,
    ),
)

ASSETS = (
    _binary(
        "picture",
        """
        *.png *.jpg *.jpeg *.gif *.webp *.avif *.ico *.icns *.bmp *.tiff *.tif *.psd *.glb *.fig
        *.sketch
        """,
    ),
    _asset("drawing", "*.ai *.gltf *.drawio *.excalidraw"),
    # These can hold programs: `classify` looks into the first, the second is one.
    Rule("vector drawing", Tier.ASSET, "*.svg", "https://www.w3.org/TR/SVG2/interact.html"),
    Rule("PostScript", Tier.ASSET, "*.eps"),
    _asset("document", "*.pdf"),
    _binary("office document", "*.xlsx *.docx *.pptx *.odt *.ods"),
    _binary("sound or film", "*.mp3 *.mp4 *.wav *.ogg *.flac *.webm *.mov *.avi"),
    _binary("font", "*.woff *.woff2 *.ttf *.otf *.eot"),
    _binary("archive", "*.zip *.gz *.tgz *.bz2 *.xz *.zst *.7z *.tar *.jar *.war *.whl *.nupkg"),
    _binary("compiled program", "*.exe *.dll *.so *.dylib *.a *.o *.class *.pyc *.wasm"),
    _binary(
        "data in a form that is no text",
        """
        *.parquet *.arrow *.npy *.npz *.db *.sqlite *.sqlite3 *.onnx *.safetensors *.pt *.mo *.qm
        *.p12 *.pfx *.jks
        """,
    ),
    _asset("data", "*.csv *.tsv *.jsonl *.ndjson *.bin *.dat *.geojson *.log *.cast"),
    _asset("certificate", "*.pem *.crt *.cer"),
    _asset("catalogue of translations", "*.po *.pot *.xlf *.xliff"),
)

TESTS = (
    Rule(
        "folder of tests",
        Tier.TEST,
        " ".join(f"{name}/" for name in sorted(_TESTS) if not name.endswith(_ENDINGS))
        + " *-tests/ *_tests/",
    ),
    Rule(
        "name of a test",
        Tier.TEST,
        """
        test_?* ?*_test ?*_test.* ?*_spec ?*_spec.* ?*[-.]test.* ?*[-.]spec.* ?*[-.]cy.*
        ?*[-.]e2e.* ?*[-.]stories.* ?*Test.* ?*Tests.* *[a-z]IT.* ?*Spec.scala ?*Spec.kt
        ?*Spec.groovy ?*Spec.hs conftest.py *.bats
        """,
    ),
    Rule(
        "test double",
        Tier.TEST,
        "mock_?*.go ?*_mock.go ?*_mocks.go ?*_moq.go",
        "https://vektra.github.io/mockery/latest/",
    ),
)

RULES = (*LOCKFILES, *VENDORED, *OUTPUTS, *CODEGEN, *RECORDED, *ASSETS, *TESTS)
KINDS = Rules(RULES)
