"""The certificates of `ca-bundle`: what is taken for some, and the file that is made of them."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import certifi
import pytest

from pr_review.adapters.certificates import certificates, trust_file
from tests.standins.tls import self_signed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    self_signed(folder)
    return folder


@pytest.fixture
def pem(folder: Path) -> str:
    return (folder / "ca.pem").read_text()


def test_certificates_are_taken_out_of_what_stands_around_them(pem: str) -> None:
    windows = pem.replace("\n", "\r\n")

    assert certificates(pem) == pem
    assert certificates(f"# Büro\nsubject=CN = x\n{pem}\n\n{pem} the end") == pem + pem
    assert certificates(windows).replace("\r", "") == pem


def test_what_is_no_certificate_is_told_without_its_text(folder: Path, pem: str) -> None:
    lines = pem.split("\n")
    damaged = "\n".join([lines[0], "planted!", *lines[2:]])
    texts = {
        "/etc/ssl/planted.pem": "should be the text of PEM certificates",
        pem.replace("\n", " "): "certificate 1 of 1 cannot be read",
        pem.replace("\n", "\\n"): "certificate 1 of 1 cannot be read",
        damaged: "certificate 1 of 1 cannot be read",
        pem + damaged: "certificate 2 of 2 cannot be read",
        pem.replace(lines[1], "é" + lines[1]): "certificate 1 of 1 cannot be read",
        pem[:200]: "should be the text of PEM certificates",
        pem + pem[:200]: "the last certificate is cut off",
        pem + (folder / "key.pem").read_text(): "holds a private key",
    }
    for text, words in texts.items():
        with pytest.raises(ValueError, match=words) as caught:
            certificates(text)
        assert "planted" not in str(caught.value)


def test_the_file_adds_to_the_public_authorities_and_goes(pem: str) -> None:
    public = ssl.create_default_context(cafile=certifi.where())
    with trust_file(pem) as path:
        trusted = ssl.create_default_context(cafile=path)
        modes = [stat.S_IMODE(place.stat().st_mode) & 0o077 for place in (path.parent,)]

    assert len(trusted.get_ca_certs()) == len(public.get_ca_certs()) + 1
    assert modes == [0]
    assert not path.parent.exists()
