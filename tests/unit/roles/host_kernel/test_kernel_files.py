"""A value is written only if it differs, is read back, and what the kernel did not take is said."""

import subprocess
import sys

NR = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"


def test_writes_what_differs_and_leaves_the_rest(kernel_files, tree):
    root = tree({"sys/a": "1\n", "sys/b": "2\n"})
    answer = kernel_files.set_all(root, {"/sys/a": "1", "/sys/b": "3"}, check_only=False)
    assert answer["written"] == ["/sys/b"]
    assert answer["refused"] == []
    assert (root / "sys/b").read_text() == "3\n"


def test_check_mode_says_the_same_and_writes_nothing(kernel_files, tree):
    root = tree({"sys/b": "2\n"})
    assert kernel_files.set_all(root, {"/sys/b": "3"}, check_only=True)["written"] == ["/sys/b"]
    assert (root / "sys/b").read_text() == "2\n"


def test_a_kernel_that_takes_less_is_not_believed(kernel_files, tmp_path):
    """/dev/null takes what is written and shows nothing, as nr_hugepages does when memory is in pieces."""
    pool = tmp_path / NR.lstrip("/")
    pool.parent.mkdir(parents=True)
    pool.symlink_to("/dev/null")
    answer = kernel_files.set_all(tmp_path, {NR: "64"}, check_only=False)
    assert answer["written"] == []
    assert answer["refused"] == [f"{NR}: 64 is wanted,  found"]


def test_a_file_that_is_missing_is_named(kernel_files, tmp_path):
    (refused,) = kernel_files.set_all(tmp_path, {"/sys/no/such": "1"}, check_only=False)["refused"]
    assert refused.startswith("/sys/no/such: 1 is wanted, (No such file or directory) found (write refused: ")


def test_white_space_of_any_kind_is_the_same(kernel_files, tree):
    root = tree({"proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n"})
    assert kernel_files.set_all(root, {"/proc/sys/net/ipv4/tcp_rmem": "4096 131072 6291456"}, False)["written"] == []


def test_the_module_refuses_files_that_are_not_the_kernels(kernel_files, tmp_path):
    arguments = '{"ANSIBLE_MODULE_ARGS": {"values": {"/etc/passwd": "x", "/sys/../etc/shadow": "x"}}}'
    done = subprocess.run(
        [sys.executable, kernel_files.__file__], input=arguments, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "only files below /sys and /proc are set here, not /etc/passwd, /sys/../etc/shadow" in done.stdout
