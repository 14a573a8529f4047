"""The endpoint failed, not the model."""

import pytest

from triage.parse.provider_errors import is_provider_error

ERRORS = [
    "openai.RateLimitError: Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}",
    "openai.APITimeoutError: Request timed out.",
    "openai.APIConnectionError: Connection error.",
    "openai.InternalServerError: Error code: 503",
    "anthropic.OverloadedError: Error code: 529 - overloaded_error",
    "anthropic._exceptions.APIStatusError: Overloaded",
    "google.api_core.exceptions.ResourceExhausted: 429 Quota exceeded",
    "google.api_core.exceptions.DeadlineExceeded: 504 Deadline Exceeded",
    "google.genai.errors.ServerError: 503 UNAVAILABLE. The model is overloaded.",
    "azure.core.exceptions.HttpResponseError: (429) Too Many Requests",
    "botocore.errorfactory.ThrottlingException: Too many requests, please wait",
    "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL",
    "litellm.RateLimitError: RateLimitError: OpenAIException - quota",
    "litellm.ServiceUnavailableError: upstream",
    "mistralai.models.sdkerror.SDKError: API error occurred: Status 429",
    "cohere.errors.too_many_requests_error.TooManyRequestsError: status_code: 429",
    "ollama._types.ResponseError: model is currently overloaded (status code: 503)",
    "httpx.ReadTimeout: The read operation timed out",
    "requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104))",
    "aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected",
    "Error: connect ECONNREFUSED 127.0.0.1:11434",
    "TypeError: fetch failed",
    "java.net.SocketTimeoutException: Read timed out",
    "Error: 429 You exceeded your current quota, please check your plan",
    "botocore.exceptions.ClientError: An error occurred (ThrottlingException) when calling the "
    "InvokeModel operation (reached max retries: 4): Too many requests",
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue",
    "ConnectionError: Failed to connect to Ollama. Please check that Ollama is downloaded",
    "litellm.Timeout: APITimeoutError - Request timed out",
    "com.openai.errors.RateLimitException: 429: slow down",
    "System.ClientModel.ClientResultException: HTTP 429 (rate_limit_exceeded)",
    "Net::ReadTimeout: Net::ReadTimeout with #<TCPSocket:(closed)>",
    "Error: dial tcp 10.0.0.1:443: i/o timeout",
    "AI_APICallError: Service Unavailable",
    "GoogleGenerativeAIFetchError: [503 Service Unavailable] The model is overloaded",
    "TypeError: fetch failed { code: 'UND_ERR_CONNECT_TIMEOUT' }",
]


@pytest.mark.parametrize("line", ERRORS)
def test_an_error_of_the_endpoint_is_recognised(line: str) -> None:
    assert is_provider_error("", "", f"Traceback:\nE   {line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: assert 'status 429' == 'status 200'",
        "KeyError: 'label'",
        "openai.BadRequestError: Error code: 400 - {'error': {'code': 'context_length_exceeded'}}",
        "openai.AuthenticationError: Error code: 401 - invalid_api_key",
        "azure.core.exceptions.HttpResponseError: (400) Bad Request",
        "anthropic.APIStatusError: Error code: 404 - model not found",
        "E       assert 'rate limit exceeded' in reply",
        "ValueError: expected 429 tickets",
        "Error: Timeout of 20ms exceeded. For async tests, call done()",
    ],
)
def test_what_a_test_or_a_model_says_is_no_error_of_the_endpoint(line: str) -> None:
    assert not is_provider_error("", "", line)
