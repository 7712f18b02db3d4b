"""Arguments of ssh that Ansible keeps in one text are taken apart as ssh gets them from Ansible."""

from ansible_collections.gpufabric.host.plugins.filter.shell_words import shell_words


def test_what_is_in_quotes_is_one_word() -> None:
    text = """-o ProxyCommand="ssh -W %h:%p jump" -o 'UserKnownHostsFile=/a b' -4"""
    assert shell_words(text) == ["-o", "ProxyCommand=ssh -W %h:%p jump", "-o", "UserKnownHostsFile=/a b", "-4"]


def test_nothing_is_no_word() -> None:
    assert shell_words("") == shell_words(None) == []
