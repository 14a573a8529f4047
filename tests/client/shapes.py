"""Responses in the shapes that providers send, as their APIs document them."""

from typing import Any

FRAUD_CHAT: dict[str, Any] = {
    "id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
    "object": "chat.completion",
    "created": 1741570283,
    "model": "gpt-4.1-mini-2025-04-14",
    "system_fingerprint": "fp_b376dfbbd5",
    "service_tier": "default",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": '{"label": "fraud"}',
                "refusal": None,
                "annotations": [],
            },
            "logprobs": {
                "refusal": None,
                "content": [
                    {"token": text, "bytes": None, "logprob": logprob, "top_logprobs": others}
                    for text, logprob, others in (
                        ('{"', -0.0, []),
                        ("label", -0.0, []),
                        ('":', -0.0, []),
                        (
                            ' "',
                            -0.01,
                            [
                                {"token": ' "', "bytes": None, "logprob": -0.01},
                                {"token": " '", "bytes": None, "logprob": -4.6},
                            ],
                        ),
                        (
                            "fra",
                            -0.6,
                            [
                                {"token": "fra", "bytes": None, "logprob": -0.6},
                                {"token": "f", "bytes": None, "logprob": -0.7},
                                {"token": "bill", "bytes": None, "logprob": -0.9},
                                {"token": "oops", "bytes": None, "logprob": -3.0},
                            ],
                        ),
                        ("ud", -0.1, [{"token": "gile", "bytes": None, "logprob": -0.2}]),
                        ('"}', -0.0, []),
                    )
                ],
            },
        }
    ],
    "usage": {
        "prompt_tokens": 2006,
        "completion_tokens": 7,
        "total_tokens": 2013,
        "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 3,
            "rejected_prediction_tokens": 0,
        },
    },
}
FRAUD_RESPONSE: dict[str, Any] = {
    "id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
    "object": "response",
    "created_at": 1741476542,
    "status": "completed",
    "model": "gpt-4.1-2025-04-14",
    "output": [
        {
            "type": "message",
            "id": "msg_67ccd2bf17f0819081ff3bb2cf6508e6",
            "status": "completed",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": "fraud",
                    "annotations": [],
                    "logprobs": [
                        {
                            "token": "fraud",
                            "bytes": [102, 114, 97, 117, 100],
                            "logprob": -0.2,
                            "top_logprobs": [
                                {"token": "fraud", "bytes": [], "logprob": -0.2},
                                {"token": "Fraud", "bytes": [], "logprob": -0.3},
                                {"token": "billing", "bytes": [], "logprob": -1.7},
                            ],
                        }
                    ],
                }
            ],
        }
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 36,
        "input_tokens_details": {"cached_tokens": 12, "cache_write_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 37,
    },
}
FRAUD_MESSAGE: dict[str, Any] = {
    "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5-20250929",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "content": [
        {"type": "text", "text": "fraud "},
        {"type": "tool_use", "id": "toolu_01", "name": "label", "input": {"label": "fraud"}},
    ],
    "usage": {
        "input_tokens": 21,
        "cache_creation_input_tokens": 188,
        "cache_read_input_tokens": 1000,
        "output_tokens": 9,
    },
}
FRAUD_CONTENT: dict[str, Any] = {
    "model_version": "gemini-2.5-flash",
    "response_id": "Zm9vYmFy",
    "candidates": [
        {
            "index": 0,
            "finish_reason": "STOP",
            "content": {
                "role": "model",
                "parts": [{"text": "Is it billing?", "thought": True}, {"text": "fraud"}],
            },
            "logprobs_result": {
                "chosen_candidates": [{"token": "fraud", "log_probability": -0.5, "token_id": 1}],
                "top_candidates": [
                    {
                        "candidates": [
                            {"token": "fraud", "log_probability": -0.5, "token_id": 1},
                            {"token": "bill", "log_probability": -1.0, "token_id": 2},
                        ]
                    }
                ],
            },
        }
    ],
    "usage_metadata": {
        "prompt_token_count": 100,
        "cached_content_token_count": 64,
        "candidates_token_count": 1,
        "total_token_count": 101,
    },
}
