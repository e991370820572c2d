"""The key table."""

import pytest

from getrace.errors import UsageError
from views.tui.keymap import ACTIONS, EVERYWHERE, bindings, key_words, remapped


def test_no_key_means_two_things_and_no_action_has_two_entries() -> None:
    screens = {action.where for action in ACTIONS}
    for where in screens:
        keys = [key for action in ACTIONS if action.where in {EVERYWHERE, where} for key in action.keys]
        assert len(keys) == len(set(keys))
    assert len({action.name for action in ACTIONS}) == len(ACTIONS) == sum(len(bindings(where)) for where in screens)
    assert remapped({}) == {}


def test_an_action_can_have_other_keys() -> None:
    assert remapped({"search": ("slash", "ctrl+s")}) == {"search": "slash,ctrl+s"}


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [({"fly": ("x",)}, "no such action: fly"), ({"copy": ("j",)}, "the key j means both down and copy")],
)
def test_a_wrong_remapping_is_refused(keys: dict[str, tuple[str, ...]], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        remapped(keys)


def test_keys_are_spelled_for_a_person() -> None:
    assert key_words(("slash", "pagedown", "ctrl+l", "G")) == "/ PgDn Ctrl+l G"
