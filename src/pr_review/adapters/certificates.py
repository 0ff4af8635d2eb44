"""Whom to trust with TLS: what the setting `ca-bundle` holds, beside the public authorities."""

from __future__ import annotations

import re
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import certifi

TRUST_IT = "give the certificate of its authority as ca-bundle"
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def certificates(text: str) -> str:
    """The PEM certificates of a text, without what stands around them.

    Raises `ValueError` in words of our own if there are none, if one cannot be read, and for a
    private key among them.
    """
    if "PRIVATE KEY-----" in text:
        raise ValueError("should hold certificates alone, and holds a private key")
    found = re.findall(f"{_BEGIN}.*?{_END}", text, re.DOTALL)
    if not found:
        raise ValueError(f"should be the text of PEM certificates, each from {_BEGIN} on")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for number, one in enumerate(found, 1):
        try:
            context.load_verify_locations(cadata=one)
        except (ssl.SSLError, TypeError):  # TypeError: not ASCII
            raise ValueError(f"certificate {number} of {len(found)} cannot be read") from None
    if text.count(_BEGIN) > len(found):
        raise ValueError("the last certificate is cut off")
    return "\n".join(found) + "\n"


@contextmanager
def trust_file(added: str) -> Iterator[Path]:
    """A file of the public authorities and the certificates `added`, which no other user can
    read; gone at the end.
    """
    with tempfile.TemporaryDirectory(prefix="pr-review-ca-") as folder:
        path = Path(folder) / "ca.pem"
        path.write_text(f"{Path(certifi.where()).read_text('utf-8')}\n{added}", "utf-8")
        yield path
