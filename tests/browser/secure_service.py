"""Run a Signalbox over https, which `__Host-` cookies need, with a temporary certificate."""

import json
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.service import Service


class SecureService(Service):
    scheme = "https"

    def __init__(self, folder: Path, **extra: str) -> None:
        self.certificate, key = folder / "certificate.pem", folder / "key.pem"
        _write_certificate(self.certificate, key)
        self.web_options = ("--certfile", str(self.certificate), "--keyfile", str(key))
        super().__init__(folder, **extra)

    def evaluate(self, code: str) -> Any:  # Any: what was printed
        """Run Python code with the service's settings and return the JSON on its last line."""
        done = self.manage("shell", "--verbosity", "0", "-c", code)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])


def _write_certificate(certificate: Path, key: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    key.write_bytes(private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
