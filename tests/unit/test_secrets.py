"""Secrets are found whatever stands around them; what only looks like one is not."""

from __future__ import annotations

import time
import warnings
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.errors import SecretError, UsageError
from lukasa.secrets import Finding, SecretWarning, admit, find_secrets, redact

# Put together here, so that no scanner takes this file for a leak.
ALNUM = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5dE7fG9hJ1kL3mN5pQ7rS9tU1vW3xY5z"
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
UPPER = "Q7R2T9W4X6Y1Z3K8"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG" + "/bPxRfiCYEXAMPLEKEY"
PEM_HEAD = "-----BEGIN RSA " + "PRIVATE KEY-----"
PEM_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"

SECRETS = [
    *(("GitHub token", f"gh{letter}_" + ALNUM[:36]) for letter in "pousr"),
    ("GitHub token", "github_" + "pat_" + ALNUM[:22] + "_" + ALNUM[:59]),
    ("GitHub token", "gh" + "s_12345_eyJ" + ALNUM[:30] + "." + ALNUM + "." + ALNUM[:43]),
    ("GitLab token", "gl" + "pat-" + ALNUM[:20]),
    ("GitLab token", "gl" + "pat-" + ALNUM[:27] + ".01.0z1abcdef"),
    ("GitLab token", "gl" + "rt-t1_" + ALNUM[:20]),
    ("npm token", "np" + "m_" + ALNUM[:36]),
    ("PyPI token", "py" + "pi-AgEI" + "cHlwaS5vcmc" + ALNUM),
    ("Docker token", "dckr" + "_pat_" + ALNUM[:27]),
    ("Atlassian token", "ATAT" + "T3" + ALNUM * 3),
    ("AWS access key id", "AK" + "IA" + UPPER),
    ("AWS access key id", "AS" + "IA" + UPPER),
    ("Google API key", "AI" + "za" + ALNUM[:35]),
    ("Google OAuth client", "GOC" + "SPX-" + ALNUM[:28]),
    ("Google OAuth token", "ya" + "29." + ALNUM),
    ("Azure client credential", "abc8" + "Q~" + ALNUM[:34]),
    ("Azure key", ALNUM[:52] + "JQQ" + "J99" + ALNUM[:26]),
    ("DigitalOcean token", "dop" + "_v1_" + HEX),
    ("Databricks token", "da" + "pi" + HEX[:32]),
    ("HashiCorp Vault token", "hv" + "s." + ALNUM),
    ("Anthropic key", "sk-" + "ant-api03-" + ALNUM + "-AA"),
    ("Anthropic key", "sk-" + "ant-admin01-" + ALNUM),
    ("Anthropic key", "sk-" + "ant-oat01-" + ALNUM),
    ("OpenAI key", "sk-" + "proj-" + ALNUM + "-_" + ALNUM),
    ("OpenAI key", "sk-" + "svcacct-" + ALNUM),
    ("OpenAI key", "sk-" + "admin-" + ALNUM),
    ("OpenAI key", "sk-" + ALNUM[:20] + "T3Blbk" + "FJ" + ALNUM[:20]),
    ("OpenAI key", "sk-" + "a" * 48),
    ("OpenRouter key", "sk-" + "or-v1-" + HEX),
    ("Hugging Face token", "h" + "f_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"),
    ("Groq key", "gs" + "k_" + ALNUM[:52]),
    ("Slack token", "xo" + "xb-123456789012-123456789012-" + ALNUM[:24]),
    ("Slack token", "xo" + "xp-123456789012-" + ALNUM[:24]),
    ("Slack token", "xo" + "xe.xo" + "xp-1-" + ALNUM),
    ("Slack token", "xa" + "pp-1-A0123456789-1234567890123-" + HEX),
    ("Slack webhook", "hooks.slack" + ".com/services/T01234567/B01234567/" + ALNUM[:24]),
    ("Discord token", "MT" + "k4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + ALNUM[:27]),
    ("Telegram bot token", "123456789" + ":AA" + ALNUM[:33]),
    ("Twilio key", "S" + "K" + HEX[:32]),
    ("SendGrid key", "S" + "G." + ALNUM[:22] + "." + ALNUM[:43]),
    ("Mailgun key", "ke" + "y-" + HEX[:32]),
    ("Mailchimp key", HEX[:32] + "-u" + "s14"),
    ("Stripe key", "sk" + "_live_" + ALNUM[:24]),
    ("Stripe key", "rk" + "_live_" + ALNUM[:24]),
    ("Stripe key", "sk" + "_test_" + ALNUM[:24]),
    ("Stripe webhook key", "wh" + "sec_" + ALNUM[:32]),
    ("Shopify token", "shp" + "at_" + HEX[:32]),
    ("Airtable token", "pa" + "t" + ALNUM[:14] + "." + HEX),
    ("Grafana token", "gl" + "sa_" + ALNUM[:32] + "_0f1e2d3c"),
    ("JSON web token", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + ALNUM[:43]),
    ("age secret key", "AGE-SECRET" + "-KEY-1" + (UPPER * 4)[:58]),
]

EACH_SECRET = pytest.mark.parametrize(("kind", "secret"), SECRETS, ids=[kind for kind, _ in SECRETS])

SURROUNDINGS = [
    "{}",
    "{}.",
    "{}, then",
    '"{}"',
    "'{}'",
    "`{}`",
    "({})",
    "[{}]",
    "<{}>",
    "key={};",
    "{}!",
    "钥匙{}是",
]
ESCAPED = [r'{{"text":"the key:\n{}\n"}}', r"a\u003d{}", "next%3D{}&b=1", "line\n{}\r\nline"]

ORDINARY = [
    "",
    "The user lives in Madrid and drinks coffee every morning.",
    "A task-based, risk-averse plan; sk-learn, desk-side, disk-0123456789abcdef0123",
    "sk-container-id-1 is a class of sk-learn-contrib-internationalization",
    "550e8400-e29b-41d4-a716-446655440000",
    "commit da39a3ee5e6b4b0d3255bfef95601890afd80709 of the aws-sdk, not a secret",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "md5 of the secret d41d8cd98f00b204e9800998ecf8427e, cache-key-d41d8cd98f00b204e9800998ecf8427e",
    "integrity sha512-" + ALNUM + ALNUM[:20] + "==",
    "aGVsbG8gd29ybGQsIHRoaXMgaXMgb3JkaW5hcnkgYmFzZTY0==",
    "a base64 run with no word beside it: " + AWS_SECRET,
    "src/lukasa/recall/query.py and /home/ana/projects/apollo/README.md",
    "the aws stack is in /Srv/Projects/Aws/Stacks2/Network/Main/Vpc",
    "https://example.com:8080/path@v1?x=1#y and http://localhost:3000",
    "ssh://git@github.com:22/org/repo git@github.com:org/repo.git",
    "postgres://app:***@db/x postgres://app:${DB_PASSWORD}@db/x postgres://app:$PASSWORD@db/x",
    "postgres://app:<password>@db/x postgres://app:xxxx@db postgres://{user}:{password}@db",
    "mailto:ana@example.com, file://C:/Users/ana@home/x",
    "sk-admin-panel-settings-page, xoxo-hugs-and-kisses, xapp-container-wrapper",
    "hf_hub_download, npm_config_registry, ghp_token, glpat-short, xoxo-love, pypi-publish",
    "AKIA is the prefix; AKIAshort; ASIAN MARKETS",
    "-----BEGIN CERTIFICATE-----\n" + PEM_LINE + "\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + PEM_LINE + "\n-----END PUBLIC KEY-----",
    "the private key is in the vault",
    "at 2026-01-02T10:20:30:AM we met",
    "[redacted: GitHub token] and [redacted: AWS secret key]",
]


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in find_secrets(text)]


@EACH_SECRET
@pytest.mark.parametrize("around", SURROUNDINGS)
def test_each_kind_is_found_whole_in_any_punctuation(kind: str, secret: str, around: str) -> None:
    text = around.format(secret)
    start = text.index(secret)
    found = find_secrets(text)
    assert [(it.kind, it.start) for it in found] == [(kind, start)]
    assert found[0].end in (start + len(secret), start + len(secret) + 1)
    assert secret not in redact(text)


@EACH_SECRET
@pytest.mark.parametrize("around", ESCAPED)
def test_each_kind_is_found_in_json_and_in_urls(kind: str, secret: str, around: str) -> None:
    assert kind in kinds(around.format(secret))


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_holds_no_secret(text: str) -> None:
    assert find_secrets(text) == ()
    assert redact(text) == text
    assert admit(text, policy="block", where="content") == text


def test_all_secrets_of_a_text_are_found_in_order() -> None:
    text = ", ".join(secret for _, secret in SECRETS)
    found = find_secrets(text)
    assert [it.kind for it in found] == [kind for kind, _ in SECRETS]
    assert all(one.end <= two.start for one, two in pairwise(found))


def test_a_secret_is_gone_from_the_redacted_text_and_the_rest_stays() -> None:
    token = "gh" + "p_" + ALNUM[:36]
    assert (
        redact(f"use {token}, please ({token})")
        == "use [redacted: GitHub token], please ([redacted: GitHub token])"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"AWS_SECRET_ACCESS_KEY={AWS_SECRET}",
        f'"SecretAccessKey": "{AWS_SECRET}"',
        f"My Amazon key is {AWS_SECRET}.",
        f"{AWS_SECRET} (for aws)",
        f"aws_secret_access_key:\n  {AWS_SECRET}\n",
    ],
)
def test_an_aws_secret_is_known_by_the_word_beside_it(text: str) -> None:
    assert kinds(text) == ["AWS secret key"]
    assert AWS_SECRET not in redact(text)


def test_an_aws_pair_is_two_findings() -> None:
    assert kinds("AK" + f"IA{UPPER},{AWS_SECRET}") == ["AWS access key id", "AWS secret key"]


def test_the_name_of_a_kind_is_no_context() -> None:
    text = f"[redacted: AWS secret key] {AWS_SECRET}"
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("Twilio auth token", "TWILIO_AUTH_TOKEN=" + HEX[:32]),
        ("Mailgun key", "mailgun: " + HEX[:32] + "-0f1e2d3c-0f1e2d3c"),
        ("Datadog key", "DD_API_KEY=" + HEX[:32]),
        ("Cloudflare token", "CLOUDFLARE_API_TOKEN=" + ALNUM[:40]),
    ],
)
def test_what_looks_like_a_hash_is_known_by_its_variable(kind: str, text: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("postgres://app:hunter2@db.internal/app", "hunter2"),
        ("redis://:hunter2@cache:6379/0", "hunter2"),
        ("see https://ana:p@ss:word@example.com/x.", "p@ss:word"),
        ("ftp://u:p@h", "p"),
        ("amqp://u:p%40ss@h", "p%40ss"),
        ("postgres://app:with/slash@db", "with/slash"),
        ("mysql://root:12345@db", "12345"),
        ('{"url":"mongodb+srv://u:pw@h"}', "pw"),
    ],
)
def test_a_password_in_a_url_is_found_alone(text: str, password: str) -> None:
    start = text.index(":" + password + "@") + 1
    assert find_secrets(text) == (Finding(kind="password in a URL", start=start, end=start + len(password)),)


@pytest.mark.parametrize("name", ["AccountKey=", "SharedAccessKey=", "ACCOUNT_KEY=", "&sig="])
def test_an_azure_value_is_found_without_its_name(name: str) -> None:
    value = (ALNUM * 2)[:86] + "=="
    redacted = redact(f"EndpointSuffix=core.windows.net;{name}{value};more")
    assert value not in redacted
    assert redacted.startswith(f"EndpointSuffix=core.windows.net;{name}[redacted: Azure ")
    assert redacted.endswith("];more")


@pytest.mark.parametrize("label", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP "])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", r"\n"])
def test_a_private_key_is_found_to_its_end(label: str, line_end: str) -> None:
    name = label + "PRIVATE KEY" + (" BLOCK" if label == "PGP " else "")
    key = line_end.join([f"-----BEGIN {name}-----", PEM_LINE, PEM_LINE, "Zm9v==", f"-----END {name}-----"])
    assert redact(f"before {key} after") == "before [redacted: private key] after"


@pytest.mark.parametrize(
    "key",
    [
        "-----BEGIN PRIVATE " + "KEY-----",
        "-----BEGIN RSA PRIVATE " + f"KEY-----\n{PEM_LINE}\n{PEM_LINE}\nMIIE",
        f"{PEM_HEAD}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\n{PEM_LINE}\n",
        f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{PEM_LINE}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ],
)
def test_a_private_key_that_was_cut_off_is_found(key: str) -> None:
    redacted = redact("look: " + key)
    assert redacted.startswith("look: [redacted: private key]")
    assert "MII" not in redacted


def test_two_private_keys_are_two_findings() -> None:
    key = "-----BEGIN PRIVATE " + f"KEY-----\n{PEM_LINE}\n-----END PRIVATE KEY-----\n"
    cut = "-----BEGIN PRIVATE " + f"KEY-----\n{PEM_LINE}\n"
    assert kinds(cut + key) == ["private key", "private key"]


def test_a_putty_key_is_found() -> None:
    text = "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n" + f"{PEM_LINE}\n{PEM_LINE}\nPrivate-MAC: 0f"
    assert kinds(text) == ["PuTTY private key"]
    assert PEM_LINE not in redact(text)


def test_block_names_the_kinds_and_the_place_and_never_the_value() -> None:
    token, key = "gh" + "p_" + ALNUM[:36], "AK" + "IA" + UPPER
    with pytest.raises(SecretError) as caught:
        admit(f"{token} {key} {token}", policy="block", where="content")
    assert isinstance(caught.value, UsageError)
    assert caught.value.kinds == ("GitHub token", "AWS access key id")
    assert caught.value.where == "content"
    assert "GitHub token" in str(caught.value)
    assert "content" in str(caught.value)
    assert token not in str(caught.value)
    assert key not in str(caught.value)


def test_redact_lets_the_text_in_without_the_value() -> None:
    token = "gh" + "p_" + ALNUM[:36]
    assert admit(f"t {token}", policy="redact", where="content") == "t [redacted: GitHub token]"


def test_warn_lets_the_text_in_as_it_is_and_says_so() -> None:
    token = "gh" + "p_" + ALNUM[:36]
    with pytest.warns(SecretWarning, match="GitHub token") as caught:
        assert admit(token, policy="warn", where="tags") == token
    assert "tags" in str(caught[0].message)
    assert token not in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("policy", ["block", "redact", "warn"])
def test_no_policy_minds_ordinary_text(policy: Literal["block", "redact", "warn"]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert admit("plain words", policy=policy, where="content") == "plain words"


PIECES = st.one_of(
    st.sampled_from([secret for _, secret in SECRETS]),
    st.sampled_from([secret[: len(secret) // 2] for _, secret in SECRETS]),
    st.sampled_from(ORDINARY),
    st.sampled_from(
        [AWS_SECRET, "aws ", "secret=", "]", "[", "\n", "\\n", " ", "://", "u:", "@h", "-----BEGIN "]
    ),
    st.sampled_from(["PRIVATE KEY-----", "-----END PRIVATE KEY-----", PEM_LINE, "Private-Lines: 1\n"]),
    st.text(max_size=20),
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_redacting_leaves_nothing_to_find(text: str) -> None:
    once = redact(text)
    assert find_secrets(once) == ()
    assert redact(once) == once


@given(st.lists(PIECES, max_size=12).map("".join))
def test_findings_are_in_order_apart_and_inside_the_text(text: str) -> None:
    found = find_secrets(text)
    ends = [0, *(it.end for it in found)]
    assert all(end <= it.start < it.end for end, it in zip(ends, found, strict=False))
    assert ends[-1] <= len(text)
    assert find_secrets(text) == found


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_unicode_at_all_is_taken(text: str) -> None:
    assert admit(text, policy="redact", where="content") == redact(text)


@given(st.text(max_size=50), st.sampled_from(SECRETS), st.text(max_size=50))
def test_a_secret_between_spaces_is_always_found(before: str, secret: tuple[str, str], after: str) -> None:
    text = f"{before} {secret[1]} {after}"
    assert secret[0] in kinds(text)
    assert secret[1] not in redact(text)


HOSTILE = [
    *("a", "a ", "-", "://", "a://b:", "x://y:z@", "a.", "1:A", "A B ", "\\n", "%3D", "0123456789abcdef"),
    *(
        "ey" + "Jaaaaaaaaaa.",
        "ey" + "J",
        "aws ",
        "aA1/" * 10,
        "aws " + "aA1/" * 10 + " ",
        "SG." + "a" * 20 + ".",
    ),
    *(
        PEM_HEAD,
        PEM_HEAD + "a" * 50 + " ",
        "-----BEGIN ",
        " PRIVATE KEY",
    ),
    *(
        "AK" + "IA" + UPPER,
        "AK" + "IA" + UPPER + "-",
        "MT" + "a" * 24 + ".aaaaaa.",
        "Private-Lines: 1\n",
        "sk-a",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = "a://u:" + (piece * (100_000 // len(piece)))
    began = time.process_time()
    redact(text)
    assert time.process_time() - began < 2, "100,000 characters take a tenth of a second at most"
