"""Send a message to a chat room: Slack's incoming webhooks, and what imitates them.

Blocks: https://docs.slack.dev/reference/block-kit/blocks/section-block
Escaping: https://docs.slack.dev/messaging/formatting-message-text#escaping
"""

import json
from typing import Any

from triage.models import Channel
from triage.notifications.answers import refuse_failure
from triage.notifications.message import Message, Notice
from triage.notifications.posting import post
from triage.notifications.sealing import unseal
from triage.notifications.web_addresses import read_web_address

# A message takes 50 blocks of up to 3,000 characters.
MOST_NOTICES = 20
MOST_BLOCK_CHARACTERS = 2900
ZERO_WIDTH_SPACE = "\u200b"


def send_slack(channel: Channel, message: Message) -> str:
    """Post a message to an incoming webhook."""
    body = json.dumps(slack_body(message)).encode()
    target = read_web_address(unseal(channel.target))
    answer = post(target, body, {"Content-Type": "application/json; charset=utf-8"})
    refuse_failure(answer)
    return answer.text


def slack_body(message: Message) -> dict[str, Any]:
    """Return what is posted: blocks, and the text that others than Slack show instead."""
    notices = message.notices[:MOST_NOTICES]
    left_out = len(message.notices) - len(notices)
    more = [f"… and {left_out} more"] if left_out else []
    lines = [escape(message.subject), *(_text_line(each) for each in notices), *more]
    blocks = [block for notice in notices for block in _blocks(notice)]
    return {
        "text": "\n".join(lines),
        "blocks": [_plain(message.subject), *blocks, *map(_plain, more)],
        "unfurl_links": False,
    }


def escape(text: str) -> str:
    """Return a text in which nothing is markup, a link or a call to everybody in the room.

    Slack knows three characters; rooms that read Markdown also take "](" and "@all" for orders.
    """
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, entity)
    for order in ("](", "@"):
        text = text.replace(order, order[0] + ZERO_WIDTH_SPACE + order[1:])
    return text


def _text_line(notice: Notice) -> str:
    link = f" <{escape(notice.url)}|open>" if notice.url else ""
    return f"• {escape(notice.title)}: {escape(notice.headline)}{link}"


def _blocks(notice: Notice) -> list[dict[str, Any]]:
    """Return the blocks of an event: its words as plain text, where nothing is markup at all."""
    words = "\n".join([f"{notice.title}: {notice.headline}", *notice.lines])
    link = {"type": "mrkdwn", "text": f"<{escape(notice.url)}|Open in Tiebreak>"}
    return [_plain(words), *([{"type": "context", "elements": [link]}] if notice.url else [])]


def _plain(text: str) -> dict[str, Any]:
    shown = {"type": "plain_text", "text": text[:MOST_BLOCK_CHARACTERS], "emoji": False}
    return {"type": "section", "text": shown}
