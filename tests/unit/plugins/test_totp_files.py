"""Secrets of second factors are as they shall be, and what the PAM module remembers in their files stays."""

import pytest

SECRET, OTHER = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJR"


@pytest.fixture
def totp(run_module, tmp_path):
    def run(secrets, check=False):
        return run_module("totp_files", {"folder": str(tmp_path / "totp"), "secrets": secrets}, check)

    return run


def text(tmp_path, name):
    return (tmp_path / "totp" / name).read_text()


def test_a_file_has_the_secret_first_and_is_for_root_alone(totp, tmp_path):
    assert totp({"ada": SECRET})["written"] == ["ada"]
    assert text(tmp_path, "ada").splitlines() == [
        SECRET,
        '" RATE_LIMIT 3 30',
        '" WINDOW_SIZE 3',
        '" DISALLOW_REUSE',
        '" TOTP_AUTH',
    ]
    assert (tmp_path / "totp" / "ada").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "totp").stat().st_mode & 0o777 == 0o700


def test_codes_that_were_used_stay_used(totp, tmp_path):
    totp({"ada": SECRET})
    of_options = ("RATE_LIMIT 3 30 1700000000 1700000020", "WINDOW_SIZE 3", "DISALLOW_REUSE 56666666", "TOTP_AUTH")
    used = f"{SECRET}\n" + "".join(f'" {each}\n' for each in of_options)
    (tmp_path / "totp" / "ada").write_text(used)
    assert totp({"ada": SECRET})["changed"] is False
    assert text(tmp_path, "ada") == used


@pytest.mark.parametrize("line", ['" RATE_LIMIT 99 30', '" WINDOW_SIZE 30', "", '" TOTP_AUTH\n12345678'])
def test_an_option_that_somebody_changed_is_set_again(totp, tmp_path, line):
    totp({"ada": SECRET})
    good = text(tmp_path, "ada")
    for option in ("RATE_LIMIT 3 30", "WINDOW_SIZE 3", "DISALLOW_REUSE", "TOTP_AUTH"):
        if line.strip('" ').startswith(option.split()[0]) or not line:
            (tmp_path / "totp" / "ada").write_text(good.replace(f'" {option}', line))
            assert totp({"ada": SECRET})["written"] == ["ada"]
            assert text(tmp_path, "ada") == good


def test_a_file_that_others_could_read_is_written_anew(totp, tmp_path):
    totp({"ada": SECRET})
    (tmp_path / "totp" / "ada").chmod(0o644)
    assert totp({"ada": SECRET})["written"] == ["ada"]


def test_another_secret_replaces_it_and_whoever_left_has_none(totp, tmp_path):
    totp({"ada": SECRET, "eve": SECRET})
    answer = totp({"ada": OTHER})
    assert (answer["written"], answer["removed"]) == (["ada"], ["eve"])
    assert sorted(each.name for each in (tmp_path / "totp").iterdir()) == ["ada"]
    assert text(tmp_path, "ada").startswith(OTHER)


def test_a_dry_run_tells_and_writes_nothing_and_no_secret_is_told(totp, tmp_path):
    answer = totp({"ada": SECRET}, check=True)
    assert answer["changed"] is True
    assert not (tmp_path / "totp").exists()
    assert SECRET not in str({name: value for name, value in answer.items() if name != "invocation"})
