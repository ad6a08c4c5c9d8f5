"""What all answers of REST have in common as typed models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """Unknown fields are ignored, so that an older pyctl can talk to a newer plug-in."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)
