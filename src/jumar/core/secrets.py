"""Secrets taken out of text, and names of files that hold them.

Two ways to know one: it is the value of a variable whose name says so, or it has the shape of a well-known
kind of key. Everything else passes: digests, UUIDs, hashes in lock files and numbers are the ordinary
output of tools, and no measure of randomness tells them from a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SHORTEST = 8
MARK = "[secret]"

_NAME = re.compile(
    r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PAT|CREDENTIAL|AUTH|COOKIE|DSN)S?(?=_|\d*$)"
    r"|(?:ACCESSKEY|SECRETKEY|PRIVATEKEY|APIKEY|APITOKEN|AUTHTOKEN|PASSWORD|SECRET|CREDENTIAL)",
    re.IGNORECASE,
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-.]")
_ABOUT = re.compile(
    r"_(?:FILE|PATH|DIR|NAME|ID|TYPE|URL|URI|HOST|PORT|LENGTH|SIZE|LIMIT|TTL|EXPIRY|BINDING|SOCK|COUNT)$",
    re.IGNORECASE,
)
_ACCESS_ID = re.compile(r"ACCESS_KEY_ID$", re.IGNORECASE)
_PLAIN = re.compile(
    r"[A-Za-z]{1,15}(?:[ _.-][A-Za-z]{1,15})*"  # words; a longer run of letters may be a key
    r"|[-+]?[0-9][0-9.,:_eE+-]*"
    r"|(?:~|\.{1,2})?(?:/[\w.\- ]{1,30})+/?|[A-Za-z]:\\.*"
)
_PASSWORD_IN_URL = re.compile(
    r"(?<![A-Za-z0-9+.\-])([A-Za-z][A-Za-z0-9+.\-]{0,30}://[^\s/:@\"'<>]{0,256}:)([^\s/@\"'<>]{1,512})(?=@)"
)
_BEFORE = r"(?<![A-Za-z0-9_\-])"
_AFTER = r"(?![A-Za-z0-9_])"

# Kind, and its shape. Each starts with a literal and repeats one class, so that none can backtrack.
_SHAPES = {
    "aws key": rf"{_BEFORE}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_AFTER}",
    "api key": (
        rf"{_BEFORE}(?:sk|pk|rk)[-_](?:live|test|ant|proj|svcacct|admin|or)[-_][A-Za-z0-9_\-]{{16,}}"
        rf"|{_BEFORE}sk-[A-Za-z0-9]{{20,}}"
    ),
    "github token": rf"{_BEFORE}(?:gh[pousr]_[A-Za-z0-9]{{20,}}|github_pat_[A-Za-z0-9_]{{20,}})",
    "gitlab token": rf"{_BEFORE}gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_\-]{{20,}}",
    "slack token": rf"{_BEFORE}(?:xox[abeprs]-[A-Za-z0-9\-]{{10,}}|xapp-[0-9]-[A-Za-z0-9\-]{{10,}})",
    "google key": rf"{_BEFORE}(?:AIza[A-Za-z0-9_\-]{{35}}{_AFTER}|(?:ya29\.|GOCSPX-)[A-Za-z0-9_\-]{{20,}})",
    "npm token": rf"{_BEFORE}npm_[A-Za-z0-9]{{36}}{_AFTER}",
    "pypi token": rf"{_BEFORE}pypi-[A-Za-z0-9_\-]{{40,}}",
    "hugging face token": rf"{_BEFORE}hf_[A-Za-z0-9]{{30,}}",
    "jwt": rf"{_BEFORE}eyJ[A-Za-z0-9_\-]{{8,}}\.eyJ[A-Za-z0-9_\-]{{8,}}\.[A-Za-z0-9_\-]*",
}
_SIGNS = {
    "aws key": ("AKIA", "ASIA", "ABIA", "ACCA"),
    "api key": ("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"),
    "github token": ("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"),
    "gitlab token": ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-"),
    "slack token": ("xox", "xapp-"),
    "google key": ("AIza", "ya29.", "GOCSPX-"),
    "npm token": ("npm_",),
    "pypi token": ("pypi-",),
    "hugging face token": ("hf_",),
    "jwt": ("eyJ",),
}
# Looking for a plain string first is what makes a megabyte of ordinary output cheap.
_KINDS = tuple((kind, _SIGNS[kind], re.compile(shape)) for kind, shape in _SHAPES.items())
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    # What follows is key only where it looks like it: a block that was cut has no end.
    r"(?:(?:\s|\\[nr])*+(?:(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,200}|[A-Za-z0-9+/=]{24,}+))*+"
    r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{0,100}+(?:\s|\\[nr])*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY"
    r"(?: BLOCK)?-----)?"
)
_HEADER = re.compile(
    r"(\b(?:authorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:bearer|basic)[ \t]+"
    r"|x-api-key[\"']?[ \t]*:[ \t]*[\"']?))"
    r"[A-Za-z0-9_\-.~+/=]{8,}",
    re.IGNORECASE,
)


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values in `environ` to take out of every text: those of variables that are named like secrets.

    Left out, since replacing them would eat ordinary words: values under eight characters, plain words,
    numbers, and paths; and variables that only say something about a secret (`…_FILE`, `…_ID`). A URL's
    password counts whatever its variable is called.
    """
    values: dict[str, None] = {}
    for name, given in environ.items():
        value = given.strip()
        if _names_a_secret(name) and len(value) >= SHORTEST and not _PLAIN.fullmatch(value):
            values[value] = None
        for match in _PASSWORD_IN_URL.finditer(value):
            if len(match[2]) >= SHORTEST and not _PLAIN.fullmatch(match[2]):
                values[match[2]] = None
    return tuple(values)


class Scrubber:
    """Takes secrets out of text. `values` are known ones; those under eight characters are left alone."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        known = {spelt for value in values for spelt in _spellings(value) if len(spelt) >= SHORTEST}
        self._known = sorted(known, key=lambda value: (-len(value), value))

    def scrub(self, text: str) -> str:
        """`text` with `[secret]`, or its kind in brackets, for each secret; twice is the same as once."""
        for value in self._known:
            text = text.replace(value, MARK)
        return _without_shapes(text)


def _spellings(value: str) -> Iterable[str]:
    """A value of several lines is also printed line by line, and in JSON with its line ends escaped."""
    value = value.strip()
    lines = [line.strip() for line in value.splitlines()]
    return [value, value.replace("\n", "\\n"), *(line for line in lines if not line.startswith("-----"))]


def _without_shapes(text: str) -> str:
    if "-----BEGIN" in text:
        text = _PRIVATE_KEY.sub("[private key]", text)
    for kind, signs, shape in _KINDS:
        if any(sign in text for sign in signs):
            text = shape.sub(f"[{kind}]", text)
    if "://" in text:
        text = _PASSWORD_IN_URL.sub(rf"\1{MARK}", text)
    lower = text.lower()
    return _HEADER.sub(rf"\1{MARK}", text) if "authorization" in lower or "x-api-key" in lower else text


def _names_a_secret(name: str) -> bool:
    name = _HUMP.sub("_", name)
    return bool(_NAME.search(name)) and (not _ABOUT.search(name) or bool(_ACCESS_ID.search(name)))


_SAFE_NAMES = frozenset(["example", "sample", "template", "dist", "defaults", "tpl", "schema"])
_SECRET_NAMES = frozenset(
    [
        ".env",
        ".envrc",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        ".htpasswd",
        ".my.cnf",
        ".dockercfg",
        ".dockerconfigjson",
        ".vault-token",
        ".s3cfg",
        ".boto",
        "credentials",
        "credentials.json",
        "credentials.yml",
        "credentials.yaml",
        "credentials.toml",
        "client_secret.json",
        "service-account.json",
        "service_account.json",
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
        "master.key",
        "kubeconfig",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "id_ecdsa_sk",
        "id_ed25519_sk",
        "auth.json",
    ]
)
_SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx", ".tfstate", ".ovpn")
_SECRET_FOLDERS = frozenset([".ssh", ".gnupg", ".aws", ".azure", ".kube"])


def secret_name(path: str) -> bool:
    """Whether a file of this name is never to be committed; `path` is relative, with `/`, in any case.

    `.env.example` and its like hold names without values and may be; public keys (`id_rsa.pub`) too.
    """
    *folders, name = path.lower().rstrip("/").split("/")
    if _SECRET_FOLDERS.intersection(folders):
        return not name.endswith(".pub")
    if name.rsplit(".", 1)[-1] in _SAFE_NAMES:
        return False
    return name in _SECRET_NAMES or name.startswith(".env.") or name.endswith((*_SECRET_ENDINGS, ".env"))
