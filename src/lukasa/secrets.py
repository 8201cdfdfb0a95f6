"""Stops secrets at the door: keys, tokens and passwords that a text should not carry.

A table holds one row a kind: its name, the literal anchors without which it cannot occur, and its pattern.
Always true: a finding's value is never in an error or a warning; what was redacted has no finding left;
the time is linear in the length of the text, whatever the text. A text without a long word (most of them)
costs one split. Hashes, UUIDs, paths and ordinary words are not secrets.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from lukasa.errors import SecretError

if TYPE_CHECKING:
    from collections.abc import Iterator

SecretPolicy = Literal["block", "redact", "warn"]


class SecretWarning(UserWarning):
    """A text with a secret was let in, because the policy is "warn"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One secret in a text: its kind, and where it begins and ends."""

    kind: str
    start: int
    end: int


# No word of a secret is shorter than this; the two phrases below and URLs are looked for apart.
_SHORTEST = 16
_PHRASES = ("PRIVATE KEY", "Private-Lines:")

# A token begins where no ASCII letter or digit stands before it (so also right after Chinese, say), or after
# an escape: texts arrive as JSON and as URLs too, where "\nghp_…" and "%3Dghp_…" have a letter in front.
_EDGE = r"(?:(?<![A-Za-z0-9]{0})|(?<=\\[bfnrt]{0})|(?<=\\u[0-9A-Fa-f]{{4}}{0})|(?<=%[0-9A-Fa-f]{{2}}{0}))"

_PEM = (
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    # Either as far as the END line, or, in a key that was cut off, its headers and lines of key text.
    r"(?:(?>[^-]+|-(?!---))*+-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5}"
    r"|(?:\s*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n]*+|[^\s-]{16,}+))*+"
    r"(?:\s*+[^\s-]++\s*+\Z)?)"
)

_URL = (
    r"://(?<=[A-Za-z0-9+.-]://)[^\s/?#:@\"'<>\[\]]{0,256}:"
    # Not a port or a drive's path, and not what stands for a password in documentation.
    r"(?!\d{1,5}(?:[/?#]|$)|[/\\]|[<\[{]|\$[{(]|\$[A-Z_]+@|%[(s]|\*+@|[xX]{2,}@|[.…]+@)"
    r"(?P<secret>[^\s/?#\"'<>]{1,256}(?=@)|[^\s\"'<>]{1,256}?(?=@))"
)

_OPENAI = (
    r"sk-(?:(?:proj|svcacct)-[A-Za-z0-9_-]{20,}"
    r"|(?:admin|service|None)-(?=[A-Za-z_-]{0,99}[0-9])[A-Za-z0-9_-]{20,}"
    r"|[A-Za-z0-9]{32,}|(?=[A-Za-z]*[0-9])[A-Za-z0-9]{20,})"
)

# Forty characters of base64 with letters of both cases and digits in them: not a hash, not a path.
_AWS = (
    r"(?<![/+])(?=(?:[a-z0-9/+]{0,39}[A-Z]){4})(?=(?:[A-Z0-9/+]{0,39}[a-z]){4})(?=[A-Za-z/+]{0,39}[0-9])"
    r"(?!(?:[A-Za-z0-9+]{0,39}/){4})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)

# Kind, anchors (parted by spaces; where none occurs, the pattern is not tried), pattern. Where two rows find
# the same place, the upper one names it. The lengths are a little below the real ones: tokens differ in age.
_KINDS: tuple[tuple[str, str, str], ...] = (
    ("private key", "PRIVATE", _PEM),
    ("PuTTY private key", "Private-Lines:", r"Private-Lines: ?[0-9]+(?:\s++[A-Za-z0-9+/=]{16,}+)*+"),
    ("age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("password in a URL", "://", _URL),
    # Code and packages
    (
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        r"gh[pousr]_(?:[A-Za-z0-9]{20,}|[0-9]+_eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,2})",
    ),
    ("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    (
        "GitLab token",
        "glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glsoat- glagent- gloas- glffct- glimt- glwt-",
        r"gl(?:pat|dt|rtr?|ptt|cbt|ft|soat|agent|oas|ffct|imt|wt)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{2,}){0,2}",
    ),
    ("npm token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI token", "pypi-Ag", r"pypi-Ag[A-Za-z0-9_-]{16,}"),
    ("RubyGems key", "rubygems_", r"rubygems_[0-9a-f]{40,}"),
    ("Docker token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    ("Atlassian token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{40,}"),
    # Clouds
    ("AWS access key id", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("Google API key", "AIza", r"AIza[A-Za-z0-9_-]{30,}"),
    ("Google OAuth client", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("Google OAuth token", "ya29. 1//0", r"(?:ya29\.|1//0)[A-Za-z0-9_-]{30,}"),
    (
        "Azure account key",
        "AccountKey= SharedAccessKey= accountkey= ACCOUNT_KEY=",
        r"(?i:account_?key|sharedaccesskey)=[\"']?(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
    ),
    ("Azure client credential", "Q~", r"[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{30,}"),
    ("Azure key", "JQQJ9", r"[A-Za-z0-9]{50,54}JQQJ9[A-Za-z0-9]{20,}"),
    ("Azure shared access signature", "sig=", r"sig=(?P<secret>[A-Za-z0-9%+/]{40,}={0,2})"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{40,}"),
    ("Databricks token", "dapi", r"dapi[0-9a-h]{32,}(?:-[0-9])?"),
    ("HashiCorp Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}"),
    ("Pulumi token", "pul-", r"pul-[0-9a-f]{40,}"),
    ("Tailscale key", "tskey-", r"tskey-[a-z]+-[A-Za-z0-9-]{16,}"),
    ("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}"),
    ("Supabase key", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40,}|sb_secret_[A-Za-z0-9_-]{20,})"),
    ("Heroku token", "HRKU-AA", r"HRKU-AA[A-Za-z0-9_-]{50,}"),
    # Models
    ("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("OpenRouter key", "sk-or-", r"sk-or-[A-Za-z0-9_-]{20,}"),
    ("Langfuse key", "sk-lf-", r"sk-lf-[0-9a-f-]{32,}"),
    ("OpenAI key", "sk-", _OPENAI),
    ("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{30,}"),
    ("xAI key", "xai-", r"xai-[A-Za-z0-9]{40,}"),
    ("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{30,}"),
    ("Replicate token", "r8_", r"r8_[A-Za-z0-9]{30,}"),
    ("NVIDIA key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{40,}"),
    ("ElevenLabs key", "sk_", r"sk_[0-9a-f]{48}"),
    ("LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{8,}"),
    ("Pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9_]{40,}"),
    ("Tavily key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{24,}"),
    # Messages
    ("Slack token", "xox", r"xox[abceprs](?:\.xox[a-z])?-[A-Za-z0-9-]{12,}"),
    ("Slack token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{12,}"),
    (
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{16,}",
    ),
    ("Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]{10,}/[A-Za-z0-9_-]{30,}"),
    (
        "Discord token",
        "MT Mj Mz ND NT Nj Nz OD OT",  # user ids are decimal digits, and these begin their base64
        r"(?:M[Tjz]|N[DTjz]|O[DT])[A-Za-z0-9_-]{21,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    ),
    ("Telegram bot token", ":A", r"(?:bot)?(?P<secret>[0-9]{6,16}:A[A-Za-z0-9_-]{34,})"),
    ("Twilio key", "SK", r"SK[0-9a-f]{32,}"),
    ("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}"),
    ("Mailgun key", "key-", r"(?<![-_/])key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("Mailchimp key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    # Money, shops and tools
    ("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("Stripe webhook key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("Square token", "sq0 EAAAE", r"(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAAE[A-Za-z0-9_-]{55,})"),
    ("Shopify token", "shp", r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32,}"),
    ("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}"),
    ("Notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    ("Figma token", "figd_", r"figd_[A-Za-z0-9_-]{32,}"),
    ("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}"),
    ("Grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9+/=]{32,}(?:_[0-9a-f]{8})?"),
    ("New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27,}"),
    ("Sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("Postman key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{30,}"),
    ("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}"),
    ("1Password token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/_-]{100,}={0,2}"),
    (
        "JSON web token",
        "eyJ",
        r"(?<![_-])eyJ[A-Za-z0-9_-]{8,}\.(?:[A-Za-z0-9_-]{8,})?(?:\.[A-Za-z0-9_-]{4,}){1,3}",
    ),
)

# These look like any base64 or hash, so a word beside them has to say what they are: kind, words, pattern.
_KINDS_BY_CONTEXT: tuple[tuple[str, str, str], ...] = (
    ("AWS secret key", "aws amazon secret akia asia", _AWS),
    ("Twilio auth token", "auth_token authtoken auth-token", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("Mailgun key", "mailgun", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9])"),
    (
        "Datadog key",
        "dd_api_key dd_app_key datadog_api datadog_app",
        r"[0-9a-f]{32}(?:[0-9a-f]{8})?(?![A-Za-z0-9])",
    ),
    ("Cloudflare token", "cloudflare_api cf_api", r"(?![0-9a-f]{40})[A-Za-z0-9_-]{37,40}(?![A-Za-z0-9_-])"),
)

# Without a run like this none of them can occur.
_BARE = r"(?<![A-Za-z0-9/+_-])[A-Za-z0-9/+_-]{32}"


def _anchors_by_sign() -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """The anchors with their rows, by a sign that each has in it: most texts lack most signs."""
    groups: dict[str, list[tuple[str, int]]] = {}
    for row, (_, anchors, _) in enumerate(_KINDS):
        for anchor in anchors.split():
            sign = next((sign for sign in "_:=~.-" if sign in anchor), "")
            groups.setdefault(sign, []).append((anchor, row))
    return tuple((sign, tuple(anchors)) for sign, anchors in groups.items())


_ANCHORS = _anchors_by_sign()

# How far from a secret its context word may stand, in characters.
_BEFORE, _AFTER = 60, 30


def find_secrets(text: str) -> tuple[Finding, ...]:
    """All secrets in the text, in order, none overlapping another."""
    long_words = _long_words(text)
    if not long_words:
        return ()
    found = list(_anchored(text, long_words))
    if re.search(_BARE, long_words):
        found += _beside_their_context(text)
    return _merged(found)


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted: <kind>]`."""
    # Taking one secret out can lay bare the edge of a neighbour that was glued to it, hence the repetition.
    while found := find_secrets(text):
        pieces: list[str] = []
        at = 0
        for finding in found:
            pieces += (text[at : finding.start], f"[redacted: {finding.kind}]")
            at = finding.end
        text = "".join((*pieces, text[at:]))
    return text


def admit(text: str, *, policy: SecretPolicy, where: str) -> str:
    """The text as it may be stored; `where` names its place ("content", "tags") in the error or warning."""
    found = find_secrets(text)
    if not found:
        return text
    if policy == "redact":
        return redact(text)
    kinds = tuple(dict.fromkeys(finding.kind for finding in found))
    if policy == "block":
        raise SecretError(where=where, kinds=kinds)
    message = f"The {where} holds what looks like a secret ({', '.join(kinds)}); it was stored as it is."
    warnings.warn(message, SecretWarning, stacklevel=2)
    return text


def _long_words(text: str) -> str:
    """The words that could hold a secret, and the phrases that announce one of many words."""
    words = [word for word in text.split() if len(word) >= _SHORTEST or "://" in word]
    words += [phrase for phrase in _PHRASES if phrase in text]
    # As ASCII, since the anchors are: looking for ASCII in wider text is three times as slow.
    return " ".join(words).encode("ascii", "replace").decode("ascii")


def _anchored(text: str, long_words: str) -> Iterator[Finding]:
    groups = [anchors for sign, anchors in _ANCHORS if sign in long_words]
    rows = {row for anchors in groups for anchor, row in anchors if anchor in long_words}
    for row in sorted(rows):
        kind, _, pattern = _KINDS[row]
        for match in _compiled(pattern).finditer(text):
            yield _finding(kind, match)


def _beside_their_context(text: str) -> Iterator[Finding]:
    lowered = text.lower()
    for kind, context, pattern in _KINDS_BY_CONTEXT:
        words = [word for word in context.split() if word in lowered]
        if not words:
            continue
        for match in _compiled(pattern).finditer(text):
            around = _surroundings(text, match.start(), match.end())
            if any(word in around for word in words):
                yield _finding(kind, match)


def _surroundings(text: str, start: int, end: int) -> str:
    # Cut at brackets, so that the name of the kind in "[redacted: …]" is never context for a neighbour.
    before = text[max(0, start - _BEFORE) : start].rpartition("]")[2]
    after = text[end : end + _AFTER].partition("[")[0]
    return f"{before} {after}".lower()


def _finding(kind: str, match: re.Match[str]) -> Finding:
    group = "secret" if "secret" in match.re.groupindex else 0
    return Finding(kind=kind, start=match.start(group), end=match.end(group))


def _merged(found: list[Finding]) -> tuple[Finding, ...]:
    """In order; what overlaps becomes one finding over all of it, named by the first and longest."""
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda it: (it.start, -it.end)):
        last = merged[-1] if merged else None
        if last is None or finding.start >= last.end:
            merged.append(finding)
        elif finding.end > last.end:
            merged[-1] = Finding(kind=last.kind, start=last.start, end=finding.end)
    return tuple(merged)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Not when the module is imported: most processes never meet most kinds.
    first = pattern[0]
    if first in "-:":
        return re.compile(pattern)  # these are an edge themselves
    if first.isalnum():
        # Looking back from behind the first character lets the engine leap from one of them to the next.
        return re.compile(first + _EDGE.format(first) + pattern[1:])
    return re.compile(_EDGE.format("") + pattern)
