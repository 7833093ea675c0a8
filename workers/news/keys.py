"""The document's keys, by the topic that begins each name."""

from __future__ import annotations

PHASES = ("content", "summary", "sentiment")


def additions_checkpoint(topic: str) -> str:
    return f"{topic}_ADDITIONS_CHECKPOINT"


def phase_checkpoint(topic: str, phase: str) -> str:
    return f"{topic}_{phase.upper()}_CHECKPOINT"


def all_checkpoints(topic: str) -> list[str]:
    return [additions_checkpoint(topic), *(phase_checkpoint(topic, phase) for phase in PHASES)]
