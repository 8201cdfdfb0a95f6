"""What a text is about, in a few words, without a model: its concept tags.

First the terms of a glossary, then compound identifiers (`src/main.rs`, `baz-qux`, `user_id`, `foo.bar()`
as foo.bar, CamelCase), then the other words; each group in the order of the text. Always true: the same text
gives the same tags; a tag is NFKC, casefolded, 3 to 32 characters (2 for Chinese, Japanese and Korean), not a
stop word, number or date, and stands once. Looks at the first 2,000 characters only: what a text is about is
said early, and the time is bounded so.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING

from lukasa.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKED_AT = 2_000
_SHORTEST, _SHORTEST_CJK, _LONGEST = 3, 2, 32

_TERMS = """
agent alert alerting android angular anthropic apache api archive argocd async audit auth authentication
authorization autoscaling aws azure backend backfill backlog backup bandwidth bash bigquery billing bucket
bugfix build cache caching cassandra celery certificate changelog chatbot checkpoint claude cli clickhouse
cloud cloudflare cluster codebase compiler compliance compression concurrency config configuration container
cookie cors cpu credentials cron cronjob css csv dashboard database databricks datadog dataset dbt deadlock
debugger debian dependency deploy deployment django dns docker dockerfile duckdb dynamodb elasticsearch
embedding encryption endpoint environment exception export failover fastapi feature figma firebase firewall
firmware flask framework frontend ftp gateway gcp gemini git github gitlab golang gpt gpu grafana graph
graphql grpc hadoop hardware hash heroku hotfix html http huggingface iam ide import incident index
infrastructure ingress ingestion integration invoice ios java javascript jenkins jira json jupyter jwt kafka
kanban kernel keycloak kotlin kubectl kubernetes lambda langchain latency ldap library license linux lint
linter llama llm log logging macos mariadb markdown memory meeting metadata metric microservice middleware
migration mistral mlops mobile mock model mongodb monitoring monorepo mutex mysql namespace neo4j network
nextjs nginx node nodejs notebook notion npm numpy nvidia oauth observability oidc ollama onboarding openai
openapi opentelemetry oracle orm outage pagerduty pagination pandas parser password payment pdf performance
permission php pipeline plugin podman postgres postgresql postmortem prisma production prometheus prompt
protobuf protocol proxy pubsub pytest python pytorch qdrant quota rabbitmq rails ram react redis redshift
refactor refactoring regex region regression release replica replication repo repository requirement
retention retrieval retry roadmap rollback rollout router routing rpc ruby runbook runtime rust saml sandbox
scala schedule scheduler schema scrum sdk sdlc secret security selenium semver sentry server serverless
session sharding shell sla slack slo smtp snapshot snowflake spark spring sprint sql sqlalchemy sqlite ssd
ssh ssl sso stacktrace staging standup storage stripe svelte swagger swift sync tailwind telegram telemetry
tensorflow terraform test testing thread throttling throughput timeout timezone tls token tracing
transaction transformer typescript ubuntu udp upgrade uptime url vault vector vercel versioning virtualenv
vlan vpc vpn vue webhook websocket whatsapp wifi windows wireguard workflow workspace xml yaml zookeeper
zoom copia cuota despliegue respaldo servidor servidores
"""
_GLOSSARY = frozenset(_TERMS.split())

# Marks that combine with a letter are no part of \w: without them the words of many scripts fall to pieces.
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0df3\u0e31-\u0e4e\u0eb1-\u0ece"
_TOKEN = re.compile(rf"\w[\w{MARKS}]*(?:(?:[-./:@]|::|://)\w[\w{MARKS}]*)*")
_PART = re.compile(rf"[^\W_](?:[^\W_]|[{MARKS}])*")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_NUMBER = re.compile(
    r"[\d_.,:/-]+(?:st|nd|rd|th|am|pm|ms|kb|mb|gb|tb)?"
    r"|\d{4}-\d\d-\d\dt[\d:.-]*z?"
    r"|\d{1,2}[-/.][a-z]{3,9}[-/.]\d{2,4}"
    r"|(?=[a-f]*\d)[0-9a-f]{8,}"  # a hash, or a piece of one
)

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
_SCRIPTS = (_HAN, _HIRAGANA, _KATAKANA, _HANGUL)
# Patterns over these take long to compile, hence as text: `re` compiles and keeps them when one is needed.
CJK = f"[{''.join(_SCRIPTS)}]"
_KANA = f"[{_HIRAGANA}{_KATAKANA}]"
_HAN_OR_KATAKANA = f"[{_HAN}{_KATAKANA}]"
_HAN_RUN, _HIRAGANA_RUN = f"[{_HAN}]+", f"[{_HIRAGANA}]+"
_RUN = "|".join(f"[{script}]+" for script in (*_SCRIPTS, "^" + "".join(_SCRIPTS)))
# Chinese puts no spaces between words; these characters stand there most often.
_BETWEEN_CHINESE = "[的了是在我你您他她它们們和与與就都也很这這那吗嗎呢吧把被让讓给給对對从從]+"
_LONGEST_HAN = 4


def concept_tags(text: str, *, limit: int = 8) -> tuple[str, ...]:
    """At most `limit` tags, the most telling first."""
    text = text[:_LOOKED_AT]
    if not text.isascii():
        text = _parted(unicodedata.normalize("NFKC", text))
    terms: list[str] = []
    compounds: list[str] = []
    words: list[str] = []
    for token in _TOKEN.findall(text):
        word = token.casefold()
        if word in STOP_WORDS:
            continue
        if word in _GLOSSARY or (word[-1] == "s" and word[:-1] in _GLOSSARY):
            terms.append(word)
        elif token.isalpha() and not _HUMP.search(token):
            words.append(word)
        else:
            _sort_out(token, compounds, words)
    found = dict.fromkeys(map(_normal, (*terms, *compounds, *words)))
    return tuple(islice(filter(_is_tag, found), max(0, limit)))


def _sort_out(token: str, compounds: list[str], words: list[str]) -> None:
    """A token that is not just letters: a compound, a word with digits, or nothing."""
    word = token.casefold().partition("://")[2] or token.casefold()
    word = word.removeprefix("www.").strip("_")
    if _NUMBER.fullmatch(word):
        return
    parts = [part for part in _PART.findall(word) if len(part) > 1 and part not in STOP_WORDS]
    if len(word) > _LONGEST:
        words += [part for part in parts if part.isalpha()]
    elif not all(part.isdigit() for part in parts):
        is_word = _PART.fullmatch(word) and not _HUMP.search(token)
        (words if is_word else compounds).append(word)


def _parted(text: str) -> str:
    """The text with spaces between its scripts and, as far as can be told, between its Chinese words."""
    if not re.search(CJK, text):
        return text
    chinese = not re.search(_KANA, text)
    # Beside other scripts hiragana is grammar: particles and endings.
    grammar = re.search(_HAN_OR_KATAKANA, text) is not None
    pieces: list[str] = []
    for run in re.findall(_RUN, text):
        if re.match(_HAN_RUN, run):
            pieces += _han_words(run, chinese=chinese)
        elif not (grammar and re.match(_HIRAGANA_RUN, run)):
            pieces.append(run)
    return " ".join(pieces)


def _han_words(run: str, *, chinese: bool) -> Iterator[str]:
    for piece in re.split(_BETWEEN_CHINESE, run) if chinese else (run,):
        if len(piece) <= _LONGEST_HAN:
            yield piece
        else:
            yield from (piece[at : at + 2] for at in range(len(piece) - 1))


def _normal(word: str) -> str:
    return word if word.isascii() else unicodedata.normalize("NFKC", word)


def _is_tag(word: str) -> bool:
    if word.isascii():
        # Stop words, numbers and dates are gone by now.
        return _SHORTEST <= len(word) <= _LONGEST
    shortest = _SHORTEST_CJK if re.match(CJK, word) else _SHORTEST
    return shortest <= len(word) <= _LONGEST and word not in STOP_WORDS and any(map(str.isalpha, word))
