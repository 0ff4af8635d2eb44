"""The certificates of `ca-bundle`, from the settings to those who ask over TLS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pr_review.adapters.git import RemoteSource
from pr_review.adapters.github import Client
from pr_review.commands.wiring import child_model, passed_to_git, trusted
from pr_review.domain.pull_request import Repository
from pr_review.errors import GitHubError, SnapshotError
from pr_review.settings import Layer, load
from tests.adapters.github_reviews import viewer
from tests.standins.github import GitHubServer
from tests.standins.github_sample import sample
from tests.standins.tls import self_signed


@dataclass(frozen=True)
class Enterprise:
    """A GitHub behind an authority of its own."""

    github: GitHubServer
    pem: str

    def client(self, bundle: Path | None) -> Client:
        repository = Repository("acme", "widgets")
        return Client(self.github.api_url, self.github.token, repository, ca_bundle=bundle)

    def source(self, bundle: Path | None) -> RemoteSource:
        pull = self.github.api.pulls[7]
        return RemoteSource(
            server_url=self.github.url,
            repository="acme/widgets",
            number=7,
            merge_base=self.github.api.merge_base(pull),
            head=pull.head_sha,
            token=self.github.token,
            max_bytes=1_000_000,
            passed=passed_to_git({}),
            seconds=20,
            ca_bundle=bundle,
        )


@pytest.fixture(scope="module")
def enterprise(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enterprise]:
    folder = tmp_path_factory.mktemp("enterprise")
    bundle, context = self_signed(folder)
    with GitHubServer(sample(folder / "widgets.git"), tls=context, prefix="/api/v3") as github:
        github.open_pull(7)
        yield Enterprise(github, bundle.read_text())


def test_the_api_and_git_trust_what_the_setting_adds(enterprise: Enterprise) -> None:
    settings = load(Layer("input", {"ca-bundle": enterprise.pem}))
    with trusted(settings) as bundle:
        assert viewer(enterprise.client(bundle)) == "github-actions[bot]"
        with enterprise.source(bundle) as source:
            assert source.change().files


def test_without_the_setting_nobody_is_trusted(enterprise: Enterprise) -> None:
    with trusted(load()) as bundle:
        assert bundle is None
        with pytest.raises(GitHubError, match="as ca-bundle"):
            viewer(enterprise.client(bundle))
        with pytest.raises(SnapshotError), enterprise.source(bundle) as source:
            source.change()


def environment(pid: int | None) -> dict[bytes, bytes]:
    """The initial environment of a process that has just been started."""
    place = Path(f"/proc/{pid}/environ")
    while not (told := place.read_bytes()):  # empty until the kernel has set it up
        time.sleep(0.01)
    return dict(entry.split(b"=", 1) for entry in told.split(b"\0") if entry)


def test_the_model_gets_the_same_certificates(enterprise: Enterprise) -> None:
    values = {"ca-bundle": enterprise.pem, "model": "openai/x", "api-key": "k"}
    settings = load(Layer("input", values))
    with trusted(settings) as bundle:
        model = child_model(settings, {}, bundle)
        assert model is not None
        assert bundle is not None
        assert settings.model_settings(bundle).ca_file == bundle
        with model:
            named = environment(model.pid)
            copy = Path(named[b"SSL_CERT_FILE"].decode())
            assert copy.read_bytes() == bundle.read_bytes()
            assert named[b"REQUESTS_CA_BUNDLE"] == named[b"SSL_CERT_FILE"]
