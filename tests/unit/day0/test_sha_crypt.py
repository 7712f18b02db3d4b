"""SHA-crypt: what the lab's switches, which share no code with it, make of any password."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nornir_tasks.day0.sha_crypt import ALPHABET, sha_crypt
from switch_twins.eos.passwords import sha512_crypt
from switch_twins.nxos.password import make_hash

passwords = st.text(st.characters(min_codepoint=33, max_codepoint=0x17F), min_size=1, max_size=90)
salts = st.text(ALPHABET, min_size=1, max_size=16)


@settings(max_examples=40)
@given(password=passwords, salt=salts)
def test_every_hash_is_the_one_that_another_implementation_makes(password: str, salt: str) -> None:
    assert sha_crypt("5", password, salt) == make_hash(password, salt)
    assert sha_crypt("6", password, salt) == sha512_crypt(password, salt)


def test_the_hashes_are_those_of_the_c_library() -> None:
    """Made by glibc 2.36 (``crypt.crypt`` of Python 3.11)."""
    assert sha_crypt("5", "Hello world!", "saltstring") == "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"
    assert sha_crypt("6", "Hello world!", "a salt beyond its longest") == sha_crypt(
        "6", "Hello world!", "a salt beyond it"
    )
