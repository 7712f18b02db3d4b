"""The mistakes people make with RoCE on hosts, made here as they make them: each has to be visible in the facts.

Those who judge (host_validate, roce_qos) compare facts with the policy: DSCP 26 to priority 3, lossless, ECT(0).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needs import require

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "plugins/module_utils"))
from roce_state import RailReader, read_rails  # noqa: E402

AS_POLICY = """
mlnx_qos -i rail0 -d os
mlnx_qos -i rail0 --trust dscp
dcb app replace dev rail0 dscp-prio 24:0 25:0 27:0 28:0 29:0 30:0 31:0
mlnx_qos -i rail0 --pfc 0,0,0,1,0,0,0,0
ethtool -A rail0 rx off tx off
cma_roce_mode -d mlx5_0 -m 2
cma_roce_tos -d mlx5_0 -t 106
echo 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class
"""


def host(*words: str) -> None:
    subprocess.run([sys.executable, HERE / "standin_host.py", *words], check=True, timeout=60)


def shell(state: Path, lines: str) -> None:
    script = lines.replace("/sys/", f"{state}/root/sys/").replace("STATE", str(state))
    subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A host of two rails; rail0 has been brought to the policy, by hand. ``as_policy`` keeps what it then stood at."""
    require("root")
    folder = tmp_path_factory.mktemp("host") / "state"
    host("make", str(folder), "rail0=0000:00:10.0", "rail1=0000:00:11.0")
    host("up", str(folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUFABRIC_STANDIN", str(folder))
        patch.setenv("PATH", f"{HERE}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}")
        shell(folder, AS_POLICY)
        for name in ("nics", "values"):
            shutil.copytree(folder / name, folder / "as_policy" / name)
        yield folder
    host("down", str(folder))


@pytest.fixture
def facts_after(state):
    """Shell lines -> the facts of rail0 and rail1 afterwards."""
    for name in ("nics", "values"):
        shutil.rmtree(state / name)
        shutil.copytree(state / "as_policy" / name, state / name)

    def facts_after(lines: str) -> Facts:
        shell(state, lines)
        return Facts(state / "root")

    return facts_after


class Facts:
    """Reads a rail when it is looked at."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __getitem__(self, rail: str) -> dict:
        return read_rails((rail,), root=self.root)[rail]


def ecn_bits(byte: int) -> int:
    return byte & 0b11


def test_none_of_them_a_rail_as_the_policy_wants_it(facts_after) -> None:
    rail = facts_after("")["rail0"]
    assert (rail["trust"], rail["dcbx"], rail["pause_rx"], rail["pause_tx"]) == ("dscp", "os", False, False)
    assert [priority for priority, on in enumerate(rail["pfc"]) if on] == [3]
    assert [dscp for dscp, priority in enumerate(rail["dscp_to_priority"]) if priority == 3] == [26]
    assert (rail["traffic_class"], rail["rdma_cm_tos"], rail["rdma_cm_mode"]) == (106, 106, "RoCE v2")
    assert rail["reason"] == {}


def test_a_not_ect_traffic_class(facts_after) -> None:
    rail = facts_after("echo 104 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class\ncma_roce_tos -t 104")["rail0"]
    assert (ecn_bits(rail["traffic_class"]), ecn_bits(rail["rdma_cm_tos"])) == (0, 0)


def test_b_dscp_where_the_whole_byte_is_wanted(facts_after) -> None:
    rail = facts_after("echo 26 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class")["rail0"]
    assert rail["traffic_class"] == 26
    assert rail["dscp_to_priority"][rail["traffic_class"] >> 2] == 0


def test_c_pfc_is_on_but_nothing_marks_the_traffic(facts_after) -> None:
    rail = facts_after("mlnx_qos -i rail1 --trust dscp\nmlnx_qos -i rail1 --pfc 0,0,0,1,0,0,0,0")["rail1"]
    assert rail["pfc"][3]
    assert (rail["traffic_class"], rail["source"]["traffic_class"], rail["rdma_cm_tos"]) == (None, "sysfs", 0)
    assert rail["reason"]["traffic_class"].startswith("never set")


def test_d_pfc_on_two_priorities(facts_after) -> None:
    rail = facts_after("mlnx_qos -i rail0 --pfc 0,0,0,1,1,0,0,0")["rail0"]
    assert [priority for priority, on in enumerate(rail["pfc"]) if on] == [3, 4]


def test_e_the_code_point_of_cnp(facts_after) -> None:
    rail = facts_after("echo 4 > /sys/class/net/rail0/ecn/roce_np/cnp_dscp")["rail0"]
    assert rail["cnp_dscp"] == 4


@pytest.mark.parametrize(
    "how", ["mlnx_qos -i rail0 --trust pcp", "mlnx_qos -i rail0 --dscp2prio flush", "dcb app flush dev rail0"]
)
def test_f_trust_pcp_on_a_routed_link_asked_for_or_not(facts_after, how: str) -> None:
    rail = facts_after(how)["rail0"]
    assert rail["trust"] == "pcp"
    assert set(rail["dscp_to_priority"]) == {None}


def test_g_which_gid_is_of_roce_v2_is_the_kernels_to_say(facts_after) -> None:
    """A pinned NCCL_IB_GID_INDEX is in nccl_facts; here it shows which mode RDMA-CM takes if somebody set it back."""
    rail = facts_after("cma_roce_mode -d mlx5_0 -m 1")["rail0"]
    assert rail["rdma_cm_mode"] == "IB/RoCE v1"


def test_h_rdma_cm_is_set_and_verbs_are_not(facts_after) -> None:
    rail = facts_after("cma_roce_tos -d mlx5_1 -t 106")["rail1"]
    assert (rail["rdma_cm_tos"], rail["traffic_class"]) == (106, None)


def test_h_verbs_are_set_and_rdma_cm_is_not(facts_after) -> None:
    rail = facts_after("echo 106 > /sys/class/infiniband/mlx5_1/tc/1/traffic_class")["rail1"]
    assert (rail["rdma_cm_tos"], rail["traffic_class"]) == (0, 106)


def test_i_an_interface_that_was_left_out(facts_after) -> None:
    """A virtual function, or simply the second rail: each interface has its own facts, none is taken from another."""
    rails = facts_after("")
    first, second = rails["rail0"], rails["rail1"]
    assert (first["trust"], second["trust"]) == ("dscp", "pcp")
    assert (first["traffic_class"], second["traffic_class"]) == (106, None)


def test_j_a_large_mtu_and_a_small_roce_payload(facts_after) -> None:
    rail = facts_after('sed -i \'s/"active_mtu": 4096/"active_mtu": 1024/\' STATE/nics/rail0.json')["rail0"]
    assert (rail["mtu_bytes"], rail["active_mtu"]) == (9000, 1024)


def test_k_an_en_dash_sets_nothing_and_shows_another_device(facts_after) -> None:
    rails = facts_after("cma_roce_tos –d mlx5_1 -t 106")
    assert rails["rail1"]["rdma_cm_tos"] == 0


def test_l_code_point_24_of_an_example_instead_of_26(facts_after) -> None:
    rail = facts_after("echo 98 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class")["rail0"]
    assert rail["traffic_class"] >> 2 == 24
    assert rail["dscp_to_priority"][24] == 0


def test_m_dcqcn_half_on(facts_after) -> None:
    rail = facts_after("echo 0 > /sys/class/net/rail0/ecn/roce_np/enable/3")["rail0"]
    assert (rail["ecn_np"][3], rail["ecn_rp"][3]) == (False, True)


def test_a_set_that_the_driver_refused_shows_as_what_stands(facts_after) -> None:
    lines = 'sed -i \'s/"refuses": \\[\\]/"refuses": ["pfc"]/\' STATE/nics/rail0.json\n'
    rail = facts_after(lines + "dcb pfc set dev rail0 prio-pfc all:off")["rail0"]
    assert [priority for priority, on in enumerate(rail["pfc"]) if on] == [3]


def test_the_module_hands_over_the_same_facts(facts_after, state) -> None:
    expected = facts_after("")["rail0"]
    arguments = json.dumps({"rails": ["rail0"], "root": str(state / "root")})
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_LOAD_CALLBACK_PLUGINS": "1"}
    environment["ANSIBLE_STDOUT_CALLBACK"] = "ansible.builtin.json"
    python = f"ansible_python_interpreter={sys.executable}"
    command = [Path(sys.executable).parent / "ansible", "-i", "localhost,", "localhost", "-c", "local", "-e", python]
    done = subprocess.run(
        [*command, "-m", "gpufabric.host.roce_facts", "-a", arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)["plays"][0]["tasks"][0]["hosts"]["localhost"]
    assert found["changed"] is False
    assert found["ansible_facts"]["gpufabric_roce"]["rail0"] == expected


def test_a_new_reader_sees_what_was_set_since(facts_after, state) -> None:
    facts_after("")
    root = state / "root"
    old = RailReader("rail0", root=root)
    assert old.read("trust").value == "dscp"
    subprocess.run([HERE / "bin/dcb", "app", "flush", "dev", "rail0"], check=True, timeout=30)
    assert old.read("trust").value == "dscp"
    assert RailReader("rail0", root=root).read("trust").value == "pcp"
