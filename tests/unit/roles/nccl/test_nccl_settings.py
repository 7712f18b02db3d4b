"""What NCCL reads on a host, and every way we know of writing it so that it does something else."""

import pytest
from nccl_settings import contradictions, effective, read_conf, read_environment

WANTED = {
    "NCCL_IB_TC": "106",
    "NCCL_IB_FIFO_TC": "106",
    "NCCL_IB_HCA": "=mlx5_0,mlx5_1",
    "NCCL_SOCKET_IFNAME": "=ens3",
    "NCCL_CROSS_NIC": "2",
}
RAILS = ("rail0", "rail1")


def judged(line, wanted=WANTED):
    settings, odd = read_conf("/etc/nccl.conf", line)
    return [each.sentence() for each in odd + contradictions(settings, wanted, RAILS)]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("NCCL_IB_GID_INDEX=3", "pins an index of the GID table"),
        ("NCCL_IB_TC=26", "is the DSCP; the traffic class is 4 x DSCP + ECN bits, 106, and 26 marks DSCP 6"),
        ("NCCL_IB_TC=104", "without an ECN bit (Not-ECT)"),
        ("NCCL_IB_TC=107", "both ECN bits set"),
        ("NCCL_IB_TC=105", "has ECN bits 1, the policy's are 2"),
        ("NCCL_IB_TC=41", "marks DSCP 10, the fabric's lossless class is DSCP 26 (traffic class 106)"),
        ("NCCL_IB_TC=300", "is no traffic class (0 to 255)"),
        ("NCCL_IB_TC=high", "is no traffic class (0 to 255)"),
        ("NCCL_IB_FIFO_TC=0", "marks DSCP 0"),
        ("NCCL_IB_HCA=mlx5_0,mlx5_1", "has no = before it, so each name is a prefix"),
        ("NCCL_IB_HCA=^mlx5_2", "says which devices not to use"),
        ("NCCL_IB_HCA==mlx5_0", "is not the list of the rails' devices (=mlx5_0,mlx5_1)"),
        ("NCCL_SOCKET_IFNAME=ens3", "has no = before it, so each name is a prefix"),
        ("NCCL_SOCKET_IFNAME==rail0", "puts NCCL's bootstrap on rail0, a rail of the compute plane"),
        ("NCCL_SOCKET_IFNAME=^docker0", "says which interfaces not to use"),
        ("NCCL_CROSS_NIC=0", "is not what the policy wants (2)"),
        ("NCCL_IB_DISABLE=1", "turns RDMA off"),
        ("NCCL_NET=Socket", "turns RDMA off"),
        ("export NCCL_IB_TC=106", "this is no shell"),
        ("NCCL_IB_TC = 106", "sets a variable called `NCCL_IB_TC `, blanks included"),
        (" NCCL_IB_TC=106", "sets a variable called ` NCCL_IB_TC`, blanks included"),
        ('NCCL_IB_HCA="=mlx5_0,mlx5_1"', "has quotes, which become part of the value"),
        ("NCCL_IB_HCA==mlx5_0,mlx5_1\r", "ends with a carriage return"),
        ("NCCL_SOCKET_IFNAME==ens3 # business", "has a comment behind the value"),
        ("NCCL_IB_TC", "has no =, so NCCL skips it"),
        ("NCCL_IB_TC=106\nNCCL_IB_TC=104", "is never read: line 1 comes first"),
        ("NCCL_DEBUG=" + "x" * 1024, "is longer than the 1023 characters"),
    ],
)
def test_a_mistake_is_told_with_its_line(line, says):
    sentences = judged(line)
    assert any(says in each for each in sentences), sentences
    assert all(each.startswith("/etc/nccl.conf:") and "Remedy:" in each for each in sentences)


@pytest.mark.parametrize(
    "line",
    [
        "NCCL_IB_TC=106",
        "NCCL_IB_TC=0x6a",
        "NCCL_IB_TC=0152",
        "NCCL_IB_GID_INDEX=-1",
        "NCCL_IB_DISABLE=0",
        "NCCL_NET=IB",
        "NCCL_IB_HCA==mlx5_1,mlx5_0",
        "NCCL_SOCKET_IFNAME==ens3",
        "NCCL_DEBUG=WARN",
        "# NCCL_IB_TC=104",
        "NCCL_IB_TC=106\nNCCL_IB_TC=0x6a",
        "",
    ],
)
def test_what_is_right_or_not_ours_raises_no_alarm(line):
    assert judged(line) == []


def test_without_ecn_in_the_policy_a_traffic_class_without_it_is_right():
    assert judged("NCCL_IB_TC=104", {"NCCL_IB_TC": "104"}) == []
    assert "has ECN bits 2, the policy's are 0" in judged("NCCL_IB_TC=106", {"NCCL_IB_TC": "104"})[0]


def test_the_environment_beats_the_file_and_the_first_line_of_a_file_the_second():
    conf, _ = read_conf("/etc/nccl.conf", "NCCL_IB_TC=106\nNCCL_IB_TC=104\nNCCL_DEBUG=WARN\n")
    environment = read_environment("/etc/environment", "NCCL_DEBUG=INFO\n")
    counts = effective(environment, conf)
    assert (counts["NCCL_IB_TC"].value, counts["NCCL_IB_TC"].line) == ("106", 1)
    assert (counts["NCCL_DEBUG"].value, counts["NCCL_DEBUG"].file) == ("INFO", "/etc/environment")


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("NCCL_IB_TC=104", "NCCL_IB_TC", "104"),
        ("export NCCL_IB_HCA==mlx5_0,mlx5_1", "NCCL_IB_HCA", "=mlx5_0,mlx5_1"),
        ('export NCCL_SOCKET_IFNAME="=ens3"  # business', "NCCL_SOCKET_IFNAME", "=ens3"),
        ("  export NCCL_IB_GID_INDEX='3';", "NCCL_IB_GID_INDEX", "3"),
        ('DefaultEnvironment="NCCL_IB_TC=104"', "NCCL_IB_TC", "104"),
    ],
)
def test_environment_files_are_read_as_a_shell_or_pam_does(line, name, value):
    (setting,) = read_environment("/etc/profile.d/nccl.sh", f"# first\n{line}\n")
    assert (setting.name, setting.value, setting.line) == (name, value, 2)


def test_a_commented_line_of_the_environment_sets_nothing():
    assert read_environment("/etc/environment", "# NCCL_IB_TC=104\nPATH=/bin\n") == []


def test_facts_find_the_rails_devices_and_tell_our_lines_from_others(facts, tree):
    root = tree(
        {
            "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0": "rail1\n",
            "sys/class/infiniband/mlx5_1/ports/1/gid_attrs/ndevs/0": "rail0\n",
            "sys/class/net/ens3/mtu": "1500\n",
            "etc/nccl.conf": "# gpufabric: begin\nNCCL_IB_TC=104\n# gpufabric: end\nNCCL_IB_HCA=mlx5\n",
            "etc/profile.d/site.sh": "export NCCL_IB_GID_INDEX=3\n",
        }
    )
    found = facts("nccl_facts", rails=list(RAILS), wanted={"NCCL_IB_TC": 106}, root=str(root), etc_root=str(root))
    found = found["gpufabric_nccl"]
    assert found["hcas"] == {"rail0": "mlx5_1", "rail1": "mlx5_0"}
    assert found["wanted"] == {"NCCL_IB_TC": "106", "NCCL_IB_HCA": "=mlx5_1,mlx5_0"}
    assert [(each["file"], each["line"], each["managed"]) for each in found["contradictions"]] == [
        ("/etc/profile.d/site.sh", 1, False),
        ("/etc/nccl.conf", 2, True),
        ("/etc/nccl.conf", 4, False),
    ]
    assert found["settings"]["NCCL_IB_GID_INDEX"]["file"] == "/etc/profile.d/site.sh"
    assert found["missing"] == []


def test_facts_say_which_rail_has_no_device_and_which_variables_are_missing(facts, tree):
    root = tree({"sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0": "rail0\n"})
    found = facts("nccl_facts", rails=list(RAILS), wanted={"NCCL_IB_TC": 106}, root=str(root), etc_root=str(root))
    assert found["gpufabric_nccl"]["hcas"] == {"rail0": "mlx5_0", "rail1": ""}
    assert found["gpufabric_nccl"]["missing"] == ["NCCL_IB_TC"]
    assert found["gpufabric_nccl"]["contradictions"] == []


LIBRARIES = {"UCX_IB_TRAFFIC_CLASS": 106, "NVSHMEM_IB_TRAFFIC_CLASS": 106, "MORI_RDMA_TC": 106, "MC_IB_TC": 106}


def others(tree, facts, **files):
    root = tree(
        {name.replace("_slash_", "/"): text for name, text in files.items()} | {"sys/class/net/ens3/mtu": "1500\n"}
    )
    wanted = {"NCCL_IB_TC": 106}
    found = facts("nccl_facts", wanted=wanted, libraries=LIBRARIES, root=str(root), etc_root=str(root))
    return found["gpufabric_nccl"]


def test_other_libraries_are_read_where_logins_and_ucx_read_them(tree, facts):
    block = "# gpufabric: begin\n" + "".join(f"{name}=106\n" for name in LIBRARIES) + "# gpufabric: end\n"
    found = others(tree, facts, etc_slash_environment=block)
    assert {name: each["value"] for name, each in found["settings"].items()} == dict.fromkeys(LIBRARIES, "106")
    assert all(each["managed"] and each["file"] == "/etc/environment" for each in found["settings"].values())
    assert (found["contradictions"], found["missing"]) == ([], ["NCCL_IB_TC"])


def test_the_environment_beats_ucx_own_file(tree, facts):
    files = {"etc/ucx/ucx.conf": "UCX_IB_TRAFFIC_CLASS=104\n"}
    found = others(tree, facts, **files)
    assert found["settings"]["UCX_IB_TRAFFIC_CLASS"]["file"] == "/etc/ucx/ucx.conf"
    (wrong,) = found["contradictions"]
    assert "without an ECN bit" in wrong["sentence"]
    assert wrong["remedy"].endswith("UCX_IB_TRAFFIC_CLASS=106 in /etc/environment")
    found = others(tree, facts, **files, etc_slash_environment="UCX_IB_TRAFFIC_CLASS=106\n")
    assert found["settings"]["UCX_IB_TRAFFIC_CLASS"]["file"] == "/etc/environment"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("UCX_IB_TRAFFIC_CLASS=0x6a", "in decimal digits alone"),
        ("UCX_IB_TRAFFIC_CLASS=auto", "in decimal digits alone"),
        ("export MORI_RDMA_TC=26", "is the DSCP"),
        ("MORI_RDMA_TC=", "in decimal digits alone"),
        ("MORI_IO_TC=104", "without an ECN bit"),
        ("MC_IB_TC=40", "marks DSCP 10"),
        ("NVSHMEM_IB_TRAFFIC_CLASS=0", "marks DSCP 0"),
        ("NCCL_GIN_IB_TC=0", "marks DSCP 0"),
    ],
)
def test_a_library_with_another_traffic_class_is_told_with_its_line(line, says, tree, facts):
    (wrong,) = others(tree, facts, etc_slash_environment=f"# mine\n{line}\n")["contradictions"]
    assert wrong["sentence"].startswith("/etc/environment:2: ") and says in wrong["sentence"]


@pytest.mark.parametrize(
    "line", ["NVSHMEM_IB_TRAFFIC_CLASS=0x6a", "NCCL_GIN_IB_TC=-1", "MORI_IO_TC=106", "UCX_TLS=tcp"]
)
def test_another_spelling_of_the_same_class_raises_no_alarm(line, tree, facts):
    assert others(tree, facts, etc_slash_environment=f"{line}\n")["contradictions"] == []


def test_a_declared_gid_index_is_no_mistake_and_another_one_is():
    wanted = {**WANTED, "NCCL_IB_GID_INDEX": "3"}
    assert judged("NCCL_IB_GID_INDEX=3", wanted) == []
    assert "pins an index of the GID table" in judged("NCCL_IB_GID_INDEX=5", wanted)[0]
    assert "declare the index and its risk: nccl_gid_index" in judged("NCCL_IB_GID_INDEX=3")[0]
