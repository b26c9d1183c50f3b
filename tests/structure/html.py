"""How tests act on pages: one call from a text to the text after, or to the refusal."""

from __future__ import annotations

from steadyhand.structure.action import actions
from steadyhand.structure.html.element import Selector
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source


def changed(text: str, css: str, action: str, **arguments: str) -> str:
    """The page after one action on the one element of a selector."""
    source = Source.of_text(text)
    found = Selector(css).resolve(source)
    assert not isinstance(found, Refusal), found
    done = actions()[action].proposed(source, found[0], actions()[action].check(arguments, ""))
    assert isinstance(done, Proposal), done
    return ChangeSet(done.splices).apply(text)


def refused(text: str, css: str, action: str, **arguments: str) -> Refusal:
    source = Source.of_text(text)
    found = Selector(css).resolve(source)
    if isinstance(found, Refusal):
        return found
    done = actions()[action].proposed(source, found[0], actions()[action].check(arguments, ""))
    assert isinstance(done, Refusal), done
    return done
