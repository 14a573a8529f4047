"""Recognise that the endpoint failed, not the model: rate limits, outages, timeouts, resets."""

import re

# Exception types of the SDKs of OpenAI, Anthropic, Google, Azure, AWS, Mistral, Cohere, LiteLLM,
# Ollama and of the HTTP libraries below them. A type says more than any message.
TYPES = re.compile(
    r"\b(?:RateLimitError|APITimeoutError|APIConnectionError|APIConnectionTimeoutError"
    r"|InternalServerError|ServiceUnavailableError|OverloadedError|APIStatusError|APIError"
    r"|ResourceExhausted|DeadlineExceeded|ServiceUnavailable|TooManyRequests|GatewayTimeout"
    r"|ThrottlingException|ModelTimeoutException|ModelNotReadyException|ServiceQuotaExceeded\w*"
    r"|ModelErrorException|ServiceUnavailableException|InternalServerException"
    r"|HttpResponseError|ServiceResponseError|ServiceRequestError|ServerError|SDKError"
    r"|TooManyRequestsError|GatewayTimeoutError|ConnectTimeout|ReadTimeout|ConnectError"
    r"|ReadError|RemoteProtocolError|ConnectionError|ConnectionResetError|ConnectionRefusedError"
    r"|BrokenPipeError|ClientConnectorError|ServerDisconnectedError|ServerTimeoutError"
    r"|IncompleteRead|ProtocolError|MaxRetryError|NewConnectionError|RetryError"
    r"|BadGatewayError|EndpointConnectionError|PoolTimeout|exceptions\.Timeout"
    r"|APIUserAbortError|AxiosError|FetchError|SocketTimeoutException|ConnectException"
    r"|HttpTimeoutException|SSLError|SSLHandshakeException"
    # The same of Java, .NET, Ruby, Go, JavaScript and the servers of vLLM and Ollama.
    r"|RateLimitException|OpenAIIoException|AnthropicIoException|ClientResultException"
    r"|HttpRequestException|Net::\w+Timeout|APICallError|AI_APICallError|AI_RetryError"
    r"|ModelStreamErrorException"
    r"|EngineDeadError|AsyncEngineDeadError|GoogleGenerativeAIFetchError|MidStreamFallbackError)\b"
)
# The endpoint answered that the request was wrong, which the test or its key is to blame for.
CLIENT_FAULT = re.compile(
    r"\b(?:AuthenticationError|PermissionDenied\w*|BadRequest\w*|NotFoundError|InvalidRequest\w*"
    r"|UnprocessableEntity\w*|invalid_api_key|ValidationException|AccessDenied\w*)\b"
    r"|(?:\b(?:HTTP|status|code|response)[ /:=]{1,3}(?:[\d.]+ )?(?:code[ :=]{1,3})?|[(\[])"
    r"(?:400|401|403|404|422)\b",
    re.I,
)
MESSAGES = re.compile(
    r"(?:\b(?:HTTP|status|code|response)[ /:=]{1,3}(?:[\d.]+ )?(?:code[ :=]{1,3})?|\bError: )"
    r"(?:429|500|502|503|504|529)\b"
    r"|\b(?:429|500|502|503|504|529)[ :,-]+(?:Too Many Requests|Internal Server Error|Bad Gateway"
    r"|Service Unavailable|Gateway Time-?out|Overloaded|Client Error|Server Error)"
    r"|\brate[ _-]?limit(?:s|ed)?(?: (?:reached|exceeded|error)|_exceeded|_error)"
    r"|\binsufficient_quota\b|\bexceeded your current quota\b|\bquota (?:exceeded|exhausted)\b"
    r"|\bRESOURCE_EXHAUSTED\b|\bDEADLINE_EXCEEDED\b|\bUNAVAILABLE: |\boverloaded_error\b"
    r"|\bmodel is (?:currently )?overloaded\b|\bECONNRESET\b|\bECONNREFUSED\b|\bETIMEDOUT\b"
    r"|\bENOTFOUND\b|\bEAI_AGAIN\b|\bUND_ERR_\w*TIMEOUT\b|\bi/o timeout\b"
    r"|\bsocket hang up\b|\bfetch failed\b"
    r"|\bconnection (?:reset|refused|aborted|timed out)\b|\bread timed out\b"
    r"|\bcontext deadline exceeded\b|\bRequest timed out\b|\bupstream connect error\b"
    r"|\bfailed to connect to ollama\b|\bHttpClient\.Timeout\b"
    r"|\b(?:Throttling|TooManyRequests|ServiceUnavailable|ModelTimeout)Exception\) when calling"
    r"|\bno healthy upstream\b|\bCUDA out of memory\b|\bengine (?:is )?(?:dead|not ready)\b",
    re.I,
)
# The words may stand in a model's answer; the line that raised is near one of the ends.
ENDS = 3_000


def is_provider_error(kind: str, message: str, text: str) -> bool:
    """Whether a failure is the endpoint's.

    Parameters
    ----------
    kind : str
        Type of the exception as the report names it; may be empty.
    message, text : str
        Message and body of the failure.
    """
    if TYPES.search(kind) and not CLIENT_FAULT.search(message[:ENDS]):
        return True
    ends = message + "\n" + text[:ENDS] + "\n" + text[-ENDS:]
    return any(
        TYPES.search(line) or MESSAGES.search(line)
        for line in ends.split("\n")
        if _is_raised(line) and not CLIENT_FAULT.search(line)
    )


RAISED = re.compile(
    r"^(?:E\s+)?[\w.$:]{0,200}(?:Error|Exception|Timeout|Exhausted|Exceeded|Unavailable|Failure)\b"
    r"|^(?:E\s+)?(?:Caused by: |panic: |Error: |Error message: |error: |API (?:call )?error: )"
    r"|\bfetch failed\b|status",
)


def _is_raised(line: str) -> bool:
    """Whether a line states an exception, and no assertion about a value."""
    line = line.strip()
    return bool(RAISED.search(line)) and "assert " not in line and "AssertionError" not in line


# The package of an SDK, or the host that was called, names the provider.
PROVIDERS = {
    "openai": re.compile(r"\bopenai\b", re.I),
    "anthropic": re.compile(r"\banthropic\b|\boverloaded_error\b", re.I),
    "google": re.compile(r"\bgoogle\b|\bgenai\b|\bvertexai\b|RESOURCE_EXHAUSTED", re.I),
    "azure": re.compile(r"\bazure\b", re.I),
    "aws": re.compile(r"\bbotocore\b|\bbedrock\b|\bThrottlingException\b", re.I),
    "mistral": re.compile(r"\bmistral(?:ai)?\b", re.I),
    "cohere": re.compile(r"\bcohere\b", re.I),
    "ollama": re.compile(r"\bollama\b", re.I),
}
UNNAMED_PROVIDER = "a provider"


def provider_of(kind: str, message: str, text: str) -> str:
    """Return the provider that a failure of an endpoint names, as far as it names one."""
    told = f"{kind}\n{message[:ENDS]}\n{text[-ENDS:]}"
    named = (name for name, pattern in PROVIDERS.items() if pattern.search(told))
    return next(named, UNNAMED_PROVIDER)
