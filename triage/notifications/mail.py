"""Send a message by e-mail."""

import smtplib

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from triage.models import Channel
from triage.notifications.failures import PermanentFailure, TemporaryFailure
from triage.notifications.message import Message
from triage.notifications.sealing import unseal

# SMTP replies below this say "not now" (RFC 5321, section 4.2.1), for example greylisting.
LOWEST_PERMANENT_REPLY = 500


def send_mail(channel: Channel, message: Message) -> str:
    """Send a message to an address; the mail server's reason is in the failure, if any."""
    mail = EmailMessage(
        subject=message.subject,
        body=render_to_string("notifications/mail.txt", {"message": message}),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[unseal(channel.target)],
        # The same for every try, so that mail programs show a message once.
        headers={"Message-ID": f"<{message.id}@{_domain()}>", "Auto-Submitted": "auto-generated"},
    )
    try:
        mail.send()
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPResponseException) as error:
        raise _refusal(error) from None
    except (OSError, smtplib.SMTPException) as error:
        reason = str(error) or type(error).__name__
        raise TemporaryFailure(f"the mail server did not answer: {reason}") from None
    return "accepted by the mail server"


def _domain() -> str:
    return settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">")


def _refusal(
    error: smtplib.SMTPRecipientsRefused | smtplib.SMTPResponseException,
) -> PermanentFailure | TemporaryFailure:
    code, reply = _reply(error)
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else str(reply)
    kind = PermanentFailure if code >= LOWEST_PERMANENT_REPLY else TemporaryFailure
    return kind(f"the mail server answered {code}", response=text)


def _reply(
    error: smtplib.SMTPRecipientsRefused | smtplib.SMTPResponseException,
) -> tuple[int, bytes | str]:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return next(iter(error.recipients.values()))
    return error.smtp_code, error.smtp_error
