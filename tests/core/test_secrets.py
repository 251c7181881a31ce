from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.secrets import MARK, Scrubber, secret_name, secret_values

# Put together here, so that no scanner of repositories takes them for real ones.
A = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
SHAPES = {
    "aws key": "AKIA" + "IOSFODNN7EXAMPLE",
    "api key": "sk-" + A,
    "github token": "ghp_" + A,
    "gitlab token": "glpat-" + A[:20],
    "slack token": "xoxb-" + "1234567890-" + A[:20],
    "google key": "AIza" + A[:35],
    "npm token": "npm_" + A,
    "pypi token": "pypi-" + A + A,
    "hugging face token": "hf_" + A[:34],
    "jwt": "eyJ" + A + ".eyJ" + A + "." + A,
}
MORE = [
    "sk-ant-" + A,
    "sk-proj-" + A,
    "sk_live_" + A,
    "sk-or-v1-" + A,
    "github_pat_" + A,
    "gho_" + A,
    "xapp-1-" + A,
    "ya29." + A,
]
KEY = (
    "-----BEGIN RSA "
    "PRIVATE KEY-----\n" + (A + A[:28] + "\n") * 3 + "abc=\n" + "-----END RSA " + "PRIVATE KEY-----"
)


@pytest.mark.parametrize("frame", ["{}", "token={}", '"{}",', "x {} y", "({})", "{}.", "k:{}\n"])
@pytest.mark.parametrize("kind", SHAPES)
def test_known_shapes(kind: str, frame: str) -> None:
    assert Scrubber().scrub(frame.format(SHAPES[kind])).rstrip(".") == frame.format(f"[{kind}]").rstrip(".")


@pytest.mark.parametrize("secret", MORE)
def test_more_shapes(secret: str) -> None:
    scrubbed = Scrubber().scrub(f"key: {secret} end")
    assert A[:10] not in scrubbed
    assert scrubbed.endswith("] end")


def test_private_keys() -> None:
    scrub = Scrubber().scrub
    assert scrub(f"a\n{KEY}\nb") == "a\n[private key]\nb"
    assert scrub(f'"{KEY}"'.replace("\n", "\\n")) == '"[private key]"'
    cut = KEY[: KEY.index("abc=")]
    assert scrub(f"{cut}and so on") == "[private key]\nand so on"
    public = KEY.replace("PRIVATE", "PUBLIC")
    assert scrub(public) == public


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("Authorization: Bearer abc.def-12345", f"Authorization: Bearer {MARK}"),
        ('"authorization": "Basic dXNlcjpwYXNz"', f'"authorization": "Basic {MARK}"'),
        ("-H 'x-api-key: abcdef123456'", f"-H 'x-api-key: {MARK}'"),
        ("postgres://me:pa55w0rd@db:5432/x", f"postgres://me:{MARK}@db:5432/x"),
        ("redis://:pa55w0rd@db", f"redis://:{MARK}@db"),
        (
            "https://oauth2:x@host/r.git and ftp://a:b@c",
            f"https://oauth2:{MARK}@host/r.git and ftp://a:{MARK}@c",
        ),
    ],
)
def test_headers_and_urls(text: str, scrubbed: str) -> None:
    assert Scrubber().scrub(text) == scrubbed
    assert Scrubber().scrub(scrubbed) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "commit 559adca0c1f2e3d4b5a69788796a5b4c3d2e1f00",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "123e4567-e89b-12d3-a456-426614174000",
        '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="',
        "score: 12480.50\nval_loss: 7.3e-05 1e400 1234567890123456789",
        "http://localhost:8080/@scope/package user@host.org git@host:me/repo.git http://a:80/b@c",
        "sk-learn-pipeline-with-a-very-long-name task-sk-1 risk-averse-2-long-names-of-nothing-here",
        "npm_config_cache npm_package_name hf_hub_download ghp_ AKIA xoxb eyJ hf_transformers_model",
        "Authorization: required, bearer of news",
        "BEGIN PRIVATE KEY",
        "eyJhbGciOiJIUzI1NiJ9",
        "AKIAIOSFODNN7EXAMPLEANDMORE",
        "def test_secret_password_token_key(): pass",
        "password: ",
        "",
    ],
)
def test_ordinary_output_passes(text: str) -> None:
    assert Scrubber().scrub(text) == text


def test_known_values() -> None:
    scrub = Scrubber(["s3cr3t-value", "s3cr3t-value-longer", "short", "a+b(c)*d$e"]).scrub
    assert (
        scrub("x s3cr3t-value-longer y s3cr3t-value z short a+b(c)*d$e")
        == f"x {MARK} y {MARK} z short {MARK}"
    )


def test_a_value_of_several_lines() -> None:
    scrub = Scrubber(["first-line-1\nsecond-line-2\nend"]).scrub
    assert scrub("first-line-1\nsecond-line-2\nend") == MARK
    assert scrub(r"first-line-1\nsecond-line-2\nend") == MARK
    assert scrub("log: second-line-2") == f"log: {MARK}"
    assert scrub("the end") == "the end"
    assert Scrubber(["-----BEGIN X-----\nfirst-line-1"]).scrub("-----BEGIN X-----") == "-----BEGIN X-----"


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "DB_PASS",
        "CLIENT_SECRET",
        "awsSecretAccessKey",
        "MY_PAT",
        "AWS_ACCESS_KEY_ID",
        "npm_config__auth",
        "CREDENTIALS",
        "SECRET_2",
        "KEYS",
        "my-token",
        "APIKEY",
        "TOKEN1",
        "PGPASSWORD",
    ],
)
def test_names_that_say_secret(name: str) -> None:
    assert secret_values({name: " v4lue-1234 "}) == ("v4lue-1234",)


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "HOME",
        "EDITOR",
        "MONKEY",
        "KEYBOARD",
        "GIT_AUTHOR",
        "TOKENIZERS_PARALLELISM",
        "COMPASS",
        "TOKEN_FILE",
        "KEY_ID",
        "SSH_AUTH_SOCK",
        "SECRET_NAME",
        "TURKEY",
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert secret_values({name: "v4lue-1234"}) == ()


@pytest.mark.parametrize(
    "value",
    [
        "short-1",
        "password",
        "some plain words",
        "snake_case_name",
        "12345678",
        "1.5e-300",
        "/home/me/key.pem",
        "~/keys/x1",
        "./a/b1/c2",
        "C:\\keys\\x1",
        "",
    ],
)
def test_values_that_would_eat_words(value: str) -> None:
    assert secret_values({"API_KEY": value}) == ()


def test_values_worth_hiding() -> None:
    assert secret_values({"KEY": "QwErTyUiOpAsDfGhJk"}) == ("QwErTyUiOpAsDfGhJk",)
    environ = {
        "DATABASE_URL": "postgres://me:pa55w0rd@db/x http://a:b@c https://d:localhost@e",
        "KEY": "pa55w0rd",
    }
    assert secret_values(environ) == ("pa55w0rd",)


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "a/b/.env",
        ".env.local",
        ".ENV",
        "prod.env",
        "id_rsa",
        "keys/id_ed25519",
        "server.pem",
        "x/tls.key",
        "a.p12",
        "credentials.json",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".ssh/config",
        ".aws/credentials",
        "home/.gnupg/x",
        ".git-credentials",
    ],
)
def test_secret_names(path: str) -> None:
    assert secret_name(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.sample",
        "a/.env.template",
        ".env.dist",
        "id_rsa.pub",
        ".ssh/id_rsa.pub",
        "src/env.py",
        "environment.yml",
        "keys.py",
        "secrets.py",
        "credentials.py",
        "monkey",
        "server.key.example",
        "README.md",
        "package-lock.json",
        "",
    ],
)
def test_ordinary_names(path: str) -> None:
    assert not secret_name(path)


@given(st.text(), st.lists(st.text(max_size=12)))
def test_any_text_and_twice_is_once(text: str, values: list[str]) -> None:
    scrub = Scrubber(value for value in values if MARK not in value and "[" not in value).scrub
    once = scrub(text)
    assert scrub(once) == once


@given(st.text(), st.text())
def test_a_known_value_never_stays(before: str, after: str) -> None:
    assert "s3cr3t-value" not in Scrubber(["s3cr3t-value"]).scrub(f"{before}s3cr3t-value{after}")


@pytest.mark.parametrize(
    "piece",
    [
        "x",
        "sk-",
        "sk-a",
        "a://",
        "a://b:",
        "a://b:c",
        "eyJ",
        "eyJaaaaaaaaa.",
        "-----BEGIN PRIVATE KEY-----",
        "authorization:",
        " ",
        "authorization: bearer ",
        "ghp_a",
        "-----BEGIN ",
        "A ",
        "AKIA",
        "-----BEGIN PRIVATE KEY-----" + "a\\n" * 99,
        "a:b@",
        "A" * 30 + " ",
    ],
)
def test_a_megabyte_takes_no_time(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    scrubber = Scrubber(f"v4lue-{i}" for i in range(50))
    begin = time.process_time()
    scrubber.scrub(text)
    assert time.process_time() - begin < 5
