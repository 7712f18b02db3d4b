"""What role gpudirect refuses, and the kernel's argument it makes, on hosts of tests/standins/pcie."""

import subprocess

import pytest

from tests.unit.roles.gpudirect.conftest import matches

SETTINGS = {
    "rails": matches(),
    "far_rails_allowed": [],
    "acs": "redirect_off",
    "read_request_bytes": 4096,
    "driver_owner": "keep",
    "driver_branch": "",
    "peermem": False,
}
WAYS_OF_RAIL0 = "pci=disable_acs_redir=0000:15:01.0/00.0/01.0;0000:15:01.0/00.0/00.0;"


@pytest.fixture
def role(load_plugin):
    return load_plugin("filter/gpudirect.py")


@pytest.fixture
def read(facts):
    def of(root, rails=SETTINGS["rails"], gpus=None):
        return facts("pci_facts", root=str(root), rails=rails, gpus=gpus or {})["gpufabric_pci"]

    return of


def test_a_published_hgx_is_taken_and_every_port_between_nic_and_gpu_is_in_the_argument(role, host, read):
    pci = read(host())
    assert role.gpudirect_problems(SETTINGS, pci) == []
    argument = role.gpudirect_argument(SETTINGS, pci)
    assert argument.startswith(WAYS_OF_RAIL0)
    assert argument.count(";") == 15
    assert len(argument) < 500  # x86's command line holds 2048


def test_the_argument_comes_through_grubs_quoting_whole_and_without_its_quotes_cut_at_the_first_semicolon(
    role, host, read, load_plugin
):
    argument = role.gpudirect_argument(SETTINGS, read(host()))
    quoted = argument.replace("redir=", 'redir=\\"') + '\\"'
    for text, expected in ((quoted, argument), (argument, argument.partition(";")[0])):
        script = f'GRUB_CMDLINE_LINUX="ro {text}"; printf "linux /vmlinuz %s" "$GRUB_CMDLINE_LINUX"'
        line = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, check=True).stdout
        assert load_plugin("module_utils/kernel_state.py").grub_words(line)[-1] == expected


def test_swapped_nics_are_named_with_the_rail_that_is_near(role, host, read):
    swapped = matches()
    swapped[2]["match"], swapped[5]["match"] = swapped[5]["match"], swapped[2]["match"]
    problems = role.gpudirect_problems({**SETTINGS, "rails": swapped}, read(host(), swapped))
    assert len(problems) == 2
    assert problems[0].startswith(
        "gpudirect_rails: rail2: its NIC 0000:aa:00.0 is not under the switch of GPU 2 (0000:3a:00.0); "
        "that GPU is near rail5"
    )
    assert "gpudirect_far_rails_allowed" in problems[0]
    assert (
        role.gpudirect_problems(
            {**SETTINGS, "rails": swapped, "far_rails_allowed": ["rail2", "rail5"]}, read(host(), swapped)
        )
        == []
    )


def test_gpus_named_for_their_rails_are_not_paired_in_order(role, host, read):
    swapped = [matches()[1], matches()[0]]
    named = {"rail1": ["0000:2a:00.0"], "rail0": ["0000:18:00.0"]}
    pci = read(host("hgx_h200", 2, "--switches", "2"), swapped, named)
    assert role.gpudirect_problems({**SETTINGS, "rails": swapped}, pci) == []


def test_gpus_behind_root_ports_of_their_own_are_each_named(role, host, read):
    problems = role.gpudirect_problems(SETTINGS, read(host("passed_through")))
    assert sum("no switch is above that GPU and any rail's NIC" in each for each in problems) == 8
    assert role.gpudirect_argument(SETTINGS, read(host("passed_through"))) == ""


def changed(pci, **driver):
    return {**pci, "driver": {**pci["driver"], **driver}}


@pytest.mark.parametrize(
    ("changes", "driver", "says"),
    [
        ({}, {"version": None}, "no NVIDIA driver is loaded (cat /proc/driver/nvidia/version)"),
        ({"driver_branch": "570"}, {}, "gpudirect_driver_branch: 570, and 580.95.05 is loaded"),
        ({}, {"no_dma_buf": "the closed kernel modules of 580.95.05 are loaded"}, "set rdma_stack_peermem: true"),
        ({}, {"wrong_fabric_manager": "not running"}, "its fabric manager is not right: not running"),
        ({}, {"operator": True}, "has the driver twice: packages (nvidia-open) and the GPU Operator's container"),
        ({"driver_owner": "operator"}, {}, "packages of the driver: nvidia-open. Remove them"),
        ({"driver_owner": "host"}, {"packages": {}}, "gpudirect_driver_owner: host, and no package has it"),
        ({}, {"lockdown": "integrity"}, "the kernel is locked down (integrity)"),
    ],
)
def test_a_driver_that_does_not_do_is_refused_with_the_remedy(role, host, read, changes, driver, says):
    problems = role.gpudirect_problems({**SETTINGS, **changes}, changed(read(host()), **driver))
    assert len(problems) == 1
    assert says in problems[0]


@pytest.mark.parametrize(
    ("changes", "driver"),
    [
        ({"peermem": True}, {"no_dma_buf": "Linux 5.4 is older than 5.12"}),
        ({"driver_owner": "operator"}, {"version": None, "packages": {}}),
        ({"driver_owner": "host", "driver_branch": "580"}, {}),
        ({"read_request_bytes": 0}, {"lockdown": "integrity"}),
    ],
)
def test_what_the_site_decides_is_taken(role, host, read, changes, driver):
    assert role.gpudirect_problems({**SETTINGS, **changes}, changed(read(host()), **driver)) == []


def test_another_owner_of_the_acs_argument_is_named_with_file_and_line_but_not_a_comment(role, host, read):
    root = host()
    folder = root / "etc/default/grub.d"
    folder.mkdir(parents=True)
    (folder / "config-acs.cfg").write_text(
        '# by rdma_topo\nGRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX pci=config_acs=\\"x\\""\n'
    )
    (folder / "gpufabric-gpudirect.cfg").write_text('GRUB_CMDLINE_LINUX="pci=disable_acs_redir=a"\n')
    (root / "etc/default/grub").write_text("# pci=disable_acs_redir=b\n")
    (problem,) = role.gpudirect_problems(SETTINGS, read(root))
    assert "/etc/default/grub.d/config-acs.cfg:2 tells the kernel of ACS as well" in problem
    assert role.gpudirect_problems({**SETTINGS, "acs": "keep"}, read(root)) == []


def test_a_host_whose_gpus_are_gone_or_that_has_no_such_nic_is_refused_and_one_without_rails_is_not_looked_at(
    role, tree, read
):
    bare = read(tree({"proc/driver/nvidia/version": "", "proc/sys/kernel/osrelease": "6.1.0\n"}))
    problems = role.gpudirect_problems(SETTINGS, bare)
    assert any("no NVIDIA GPU on this host" in each for each in problems)
    assert sum("no NIC at 0c:42:a1:00:00:1" in each for each in problems) == 8
    assert role.gpudirect_problems({**SETTINGS, "rails": []}, bare) == []


def kernel(running, coming, editor="update-grub"):
    return {"cmdline": f"ro {running}", "cmdline_next_boot": coming and f"ro {coming}", "boot_editor": editor}


def test_a_reboot_is_asked_for_only_if_it_brings_what_is_missing(role, host, read, reboot):
    root = host()
    pci = read(root)
    argument = role.gpudirect_argument(SETTINGS, pci)
    waiting = role.gpudirect_boot(SETTINGS, pci, kernel("", argument))
    assert waiting["by_hand"] == []
    assert waiting["reasons"] == [
        "gpudirect: ACS redirects at 16 ports, 0000:17:01.0 the first (lspci -vvv -s 0000:17:01.0)"
    ]
    cut = role.gpudirect_boot(SETTINGS, pci, kernel("", argument.partition(";")[0]))
    assert "has a boot menu that does not get it" in cut["by_hand"][0]
    assert cut["reasons"] == []
    assert "has no update-grub" in role.gpudirect_boot(SETTINGS, pci, kernel("", None, None))["by_hand"][0]
    refused = role.gpudirect_boot(SETTINGS, pci, kernel(argument, argument))
    assert "though the kernel was started with" in refused["by_hand"][0]
    reboot(root, argument)
    done = read(root)
    assert role.gpudirect_argument(SETTINGS, done) == argument
    assert role.gpudirect_boot(SETTINGS, done, kernel(argument, argument)) == {"reasons": [], "by_hand": []}
