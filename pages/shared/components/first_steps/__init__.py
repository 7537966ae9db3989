"""The three steps that a newcomer is offered, once."""

from pages.shared.components.first_steps.component import first_steps

__all__ = ["first_steps"]
