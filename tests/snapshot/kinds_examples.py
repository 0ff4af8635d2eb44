"""For each rule of paths: files that it is about, and files that only look so.

A look-alike may belong to another rule; those that people write stand in `WRITTEN`.
"""

from __future__ import annotations

# What people write and read, whatever it resembles: always source.
WRITTEN = """
src/layout/x.py about/y.ts rebuild/z.go src/build/plan.py lib/out/writer.py app/target/aim.go
cmd/dist/main.go internal/vendor/sign.go outbox/mail.py distance.py latest/run.py contest.py
attest/a.py src/protest.py EXIT.c SPLIT.py snapshots/store.go golden/ratio.py inspect/x.py
requirements.txt requirements-dev.txt package.json tsconfig.json .github/workflows/ci.yml Dockerfile
Makefile pyproject.toml go.mod go.work Cargo.toml build.zig.zon elm.json mix.exs Gemfile
composer.json pom.xml build.gradle.kts flake.nix Chart.yaml values.yaml main.tf schema.prisma
api/v1/service.proto schema.graphql src/user.graphql.ts openapi.yaml openapi.json buf.gen.yaml
README.md src/lockfile.py yarn.lock.md vendors/list.py generated.py src/minify.js docs/map.md
app/migrations/0001_initial.py db/migrate/20240101_add.rb prisma/migrations/1_init/migration.sql
alembic/versions/ab12_x.py drizzle/0000_init.sql Migrations/20240101_Init.cs src/vendor-portal/x.ts
src/modules/vendor/service.ts vendor/models.py vendor/migrations/0001_initial.py
apps/vendor/page.tsx docs/build/guide.md docs/dist/readme.html build/ci.go build/webpack.conf.js
build/webpack.base.js vite.config.js dist/debian/rules out/run.py target/linux/x.c target/aim.rs
coverage/plugin.py coverage/index.ts gradle/wrapper/gradle-wrapper.properties manifest.toml
.vscode/tasks.json .github/workflows/agent.lock.yml analysis.ipynb src/bootstrap.js jquery.plugin.js
configure Makefile.am src/gen/plan.go generator/x.py regenerated/x.go src/parser.c token_gen.go
hash_wrap.c src/pb.go meta/index.json db/seeds.rb structure.sql mock.go src/Latest.java obj/x.c
bin/run.sh .env.example .npmrc .yarnrc.yml .gitattributes sources.json src/node-types.ts
third_partyx/a.c about-third_party.md src/snap.ts mapping.py src/map.ts lock.json min.js
"""

# Rule: (its own, look-alikes of it).
EXAMPLES: dict[str, tuple[str, str]] = {
    "lockfile of npm": ("a/package-lock.json npm-shrinkwrap.json", "package.json"),
    "lockfile of Yarn": ("web/yarn.lock", "yarn.lock.md .yarnrc.yml"),
    "lockfile of pnpm": ("a/b/pnpm-lock.yaml", "pnpm-workspace.yaml"),
    "lockfile of Bun": ("bun.lock bun.lockb", "bunfig.toml"),
    "lockfile of Deno": ("deno.lock", "deno.json"),
    "lockfile of Cargo": ("crates/a/Cargo.lock", "Cargo.toml"),
    "lockfile of Go": ("go.sum go.work.sum", "go.mod go.work"),
    "lockfile of Python's pylock.toml": ("pylock.toml pylock.dev.toml", "pyproject.toml"),
    "lockfile of Poetry": ("poetry.lock", "poetry.toml"),
    "lockfile of uv": ("uv.lock", "uv.toml"),
    "lockfile of PDM": ("pdm.lock", "pdm.toml"),
    "lockfile of Pipenv": ("Pipfile.lock", "Pipfile"),
    "lockfile of Pixi": ("pixi.lock", "pixi.toml"),
    "lockfile of Conda": ("conda-lock.yml linux.conda-lock.yml", "environment.yml"),
    "lockfile of Bundler": ("Gemfile.lock gems.locked", "Gemfile gems.rb"),
    "lockfile of Composer": ("composer.lock symfony.lock", "composer.json"),
    "lockfile of Mix and Rebar": ("mix.lock rebar.lock", "mix.exs rebar.config"),
    "lockfile of NuGet": ("packages.lock.json paket.lock", "packages.config paket.dependencies"),
    "lockfile of Gradle": (
        "gradle.lockfile app/gradle.lockfile gradle/dependency-locks/compile.lockfile",
        "build.gradle lockfile.py",
    ),
    "lockfile of Maven in Bazel": ("maven_install.json", "maven.json pom.xml"),
    "lockfile of Bazel": ("MODULE.bazel.lock", "MODULE.bazel BUILD.bazel"),
    "lockfile of Swift packages": ("Package.resolved", "Package.swift"),
    "lockfile of CocoaPods": ("ios/Podfile.lock", "Podfile"),
    "lockfile of Carthage": ("Cartfile.resolved", "Cartfile"),
    "lockfile of Dart": ("pubspec.lock", "pubspec.yaml"),
    "lockfile of Terraform and OpenTofu": ("env/.terraform.lock.hcl", "main.tf terragrunt.hcl"),
    "lockfile of Helm": ("chart/Chart.lock requirements.lock", "Chart.yaml requirements.yaml"),
    "lockfile of Nix flakes": ("flake.lock", "flake.nix"),
    "lockfile of Conan": ("conan.lock", "conanfile.txt conanfile.py"),
    "lockfile of vcpkg": ("vcpkg-lock.json", "vcpkg.json vcpkg-configuration.json"),
    "lockfile of Spack": ("spack.lock", "spack.yaml"),
    "lockfile of Cabal": ("cabal.project.freeze", "cabal.project"),
    "lockfile of Stack": ("stack.yaml.lock", "stack.yaml"),
    "lockfile of Julia": ("Manifest.toml Manifest-v1.11.toml", "Project.toml manifest.toml"),
    "lockfile of R": ("renv.lock", "DESCRIPTION"),
    "lockfile of opam, dune and esy": ("x.opam.locked dune.lock/lwt.pkg", "x.opam dune-project"),
    "lockfile of Carton": ("cpanfile.snapshot", "cpanfile"),
    "lockfile of LuaRocks": ("luarocks.lock", "x-1.0-1.rockspec"),
    "lockfile of Crystal": ("shard.lock", "shard.yml"),
    "lockfile of Nim": ("nimble.lock", "x.nimble"),
    "lockfile of D": ("dub.selections.json", "dub.json"),
    "lockfile of PureScript": ("spago.lock", "spago.yaml packages.dhall"),
    "lockfile of Unity": ("Packages/packages-lock.json", "Packages/manifest.json"),
    "lockfile of Homebrew, Chef and Puppet": ("Brewfile.lock.json", "Brewfile Policyfile.rb"),
    "lockfile of npins and niv": ("nix/sources.json", "sources.json nix/sources.nix"),
    "lockfile of Atlas migrations": ("migrations/atlas.sum", "atlas.hcl migrations/1.sql"),
    "lockfile of Prisma Migrate": ("prisma/migrations/migration_lock.toml", "prisma/x.toml"),
    "lockfile of Devbox": ("devbox.lock", "devbox.json"),
    "lockfile of Buf": ("proto/buf.lock", "buf.yaml"),
    "lockfile of mise": ("mise.lock", "mise.toml"),
    "lockfile of Jsonnet": ("jsonnetfile.lock.json", "jsonnetfile.json"),
    "file that is named like a lockfile": (
        "x.lock src/pay.lock a.lock.json b.lockfile",
        "lock.json src/lock.py x.lock.yml",
    ),
    "installed package": (
        "src/node_modules/left-pad/index.js ios/Pods/A/a.m .yarn/releases/yarn.cjs .pnp.cjs",
        "node_modules.py src/pods/a.go Carthage/readme.swift .yarn/x.js",
    ),
    "vendored code": (
        "third_party/zlib/zlib.c src/third-party/a.js pip/_vendor/six.py",
        "third_partyx/a.c src/party/x.c",
    ),
    "vendored code in vendor/": (
        "vendor/github.com/x/y.go web/vendor/a.js vendor/x/y/z.php",
        "internal/vendor/sign.go vendors/list.py vendor/models.py src/modules/vendor/a.ts",
    ),
    "copy of a known library": (
        "static/jquery-3.7.1.js public/d3.v7.js a/bootstrap-5.3.0.css",
        "jquery.plugin.js src/bootstrap.js jquery-wrapper.js",
    ),
    "wrapper script of a build tool": ("gradlew mvnw.cmd", "build.gradle gradlew.md"),
    "file of the autotools": ("aclocal.m4 config.guess", "configure.ac m4/build-to-host.m4"),
    "source map": ("main.js.map dist.css.map x.map", "src/map.ts docs/map.md"),
    "minified code": ("static/app.min.js Style.MIN.CSS a.bundle.js", "src/minify.js src/admin.js"),
    "build output in dist/, out/ or build/": (
        "dist/app.js packages/web/dist/index.js out/a.js build/app.css dist/types/x.d.ts",
        """
        cmd/dist/main.go dist/main.go build/ci.go docs/build/guide.html build/webpack.conf.js
        rebuild/a.js about/out.js src/dist/a.js
        """,
    ),
    "build output": (
        "target/classes/A.properties app/build/generated/B.java x.egg-info/PKG-INFO",
        "target/aim.go src/build/plan.py lib/target/x.c",
    ),
    "output or cache of a framework": (
        ".next/cache/x.js a/.terraform/x.tf next-env.d.ts a.tsbuildinfo",
        "next.config.js src/next/a.ts",
    ),
    "coverage report": ("htmlcov/index.html a/lcov-report/x.js", "coverage/plugin.py"),
    "figures of test coverage": ("coverage/lcov.info coverage/clover.xml", "coverage/index.ts"),
    "project file of an editor": (".idea/workspace.xml a.iml", ".vscode/tasks.json idea/x.py"),
    "Protocol Buffers code": (
        "api/service.pb.go api/service_pb2.py a_pb2_grpc.pyi b.pb.gw.go c_pb.d.ts d.swagger.json",
        "api/v1/service.proto src/pb.go pb2.py swagger.json",
    ),
    "Thrift code": ("gen-go/a/b.go x/gen-py/c.py", "a.thrift gen/a.go gen-tools/x.go"),
    "FlatBuffers code": ("monster_generated.h a_generated.rs", "monster.fbs generated.h"),
    "OpenAPI code": (".openapi-generator/FILES pkg/openapi_generated.go", "openapi.yaml"),
    "GraphQL code": ("graphql.schema.json graph/models_gen.go", "schema.graphql a.graphql.ts"),
    "generated Dart code": ("lib/model.g.dart a.freezed.dart a.mocks.dart", "lib/g.dart a.dart"),
    "generated .NET code": (
        "Form1.Designer.cs x.g.cs Data/Migrations/AppModelSnapshot.cs",
        "Migrations/1_Init.cs Designer.cs src/ModelSnapshot.cs",
    ),
    "generated Go code": (
        "pkg/apis/zz_generated.deepcopy.go a_generated.go b.gen.go wire_gen.go",
        "generated.go src/gen/plan.go token_gen.go",
    ),
    "output of a parser generator or of Qt's": ("src/y.tab.c moc_main.cpp", "src/parser.c tab.c"),
    "snapshot of a database's schema": (
        "db/schema.rb db/structure.sql drizzle/meta/0001_snapshot.json drizzle/meta/_journal.json",
        "db/seeds.rb src/schema.rb structure.sql drizzle/0001_x.sql db/migrate/1.rb",
    ),
    "file that says in its name that it is generated": (
        "app/__generated__/types.ts src/generated/a.ts gen/Types.generated.ts routeTree.gen.ts",
        "buf.gen.yaml generated.py regenerated/x.go src/generator/a.ts codegen.ts",
    ),
    "recorded output of a test": (
        "src/__snapshots__/a.test.ts.snap a.snap test/ui.ambr x.approved.txt",
        "src/snap.ts snapshots/store.go approved.txt",
    ),
    "recorded output in a folder of tests": (
        "tests/snapshots/page.txt tests/golden/x.json",
        "snapshots/store.go golden/ratio.py",
    ),
    "recorded traffic of a test": (
        "tests/cassettes/test_a/b.yaml",
        "cassettes/player.yaml tests/cassettes/conf.py",
    ),
    "picture": ("logo.png docs/shot.JPEG", "png.py src/svg.ts"),
    "drawing": ("docs/flow.drawio scene.gltf", "drawio.py"),
    "vector drawing": ("icon.svg", "src/svg.ts icon.svg.tsx"),
    "PostScript": ("figure.eps", "eps.py"),
    "document": ("a.pdf", "pdf.go"),
    "office document": ("b.xlsx", "xlsx.go"),
    "sound or film": ("movie.mp4 a.wav", "mp3.c"),
    "font": ("fonts/a.woff2", "font.ts"),
    "archive": ("app.jar a.tar.gz", "zip.go gz.py"),
    "compiled program": ("lib.so a.dll x.pyc", "so.py class.rb"),
    "data in a form that is no text": ("x.parquet model.onnx", "db.py"),
    "data": ("data.csv a.log", "csv.py log.go x.sql"),
    "certificate": ("tls.pem ca.crt", "pem.go"),
    "catalogue of translations": ("locale/de.po a.xlf", "locales/en.json po.py"),
    "folder of tests": (
        """
        tests/a.py src/__tests__/c.ts e2e/login.ts testdata/input.txt crates/x-tests/main.rs
        __mocks__/fs.js cypress/run.ts src/test/java/Foo.java
        """,
        "attest/a.py contests/a.py latest/run.py inspect/x.py",
    ),
    "name of a test": (
        """
        pkg/e_test.go f.test.ts g.spec.js test_h.py conftest.py FooTest.java FooTests.cs
        FooIT.java Button.stories.tsx a-test.js x_spec.rb
        """,
        "contest.py src/protest.py EXIT.c SPLIT.py src/Latest.java test.py",
    ),
    "test double": ("pkg/mock_client.go pkg/client_mock.go x_moq.go", "mock.go smock.go"),
}
