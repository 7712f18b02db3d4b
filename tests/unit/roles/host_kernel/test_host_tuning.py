"""What cannot be tuned is refused by name; what can goes to the right files; interrupts stay near their NIC."""

import pytest


@pytest.fixture
def tuning(load_plugin):
    return load_plugin("filter/host_tuning.py").FilterModule().filters()


@pytest.fixture
def affinity(load_plugin):
    return load_plugin("module_utils/irq_affinity.py")


def settings(**changes):
    known = {
        "sysctl": {"vm.swappiness": 10},
        "numa_balancing": False,
        "limits": [{"item": "memlock", "value": "unlimited"}],
        "governor": "performance",
        "idle_latency_us": 3,
        "tuned": False,
        "rails": [],
        "kernel_arguments": ["iommu=pt"],
        "isolated_cpus": "",
    }
    return {**known, **changes}


@pytest.fixture
def kernel():
    """A host of two nodes with four processors, as kernel_facts tells it."""
    states = [("POLL", "state0", 0), ("C1", "state1", 2), ("C6", "state2", 133)]
    return {
        "kernel": "6.1.0-1-amd64",
        "cmdline": "root=/dev/vda1 ro",
        "cmdline_next_boot": "root=/dev/vda1 ro iommu=pt",
        "boot_editor": "update-grub",
        "sysctl": {"vm.swappiness": "60", "kernel.numa_balancing": "1", "fs.nr_open": "1048576"},
        "nodes": [{"node": 0, "cpus": "0-1"}, {"node": 1, "cpus": "2-3"}],
        "processors": {
            "online": "0-3",
            "isolated": "",
            "governors": ["powersave"],
            "available_governors": ["performance", "powersave"],
            "idle_states": [{"name": n, "state": s, "latency_us": us, "disabled": False} for n, s, us in states],
        },
        "rails": {"rail0": {"exists": True}},
    }


def test_the_defaults_have_no_problem(tuning, kernel):
    assert tuning["host_tuning_problems"](settings(rails=["rail0"]), kernel) == []


def test_every_mistake_is_told_at_once_with_its_remedy(tuning, kernel):
    wanted = settings(
        sysctl={"vm.swapiness": 1},
        limits=[{"item": "memlock", "value": "lots"}],
        governor="turbo",
        isolated_cpus="1-3,9",
        rails=["rail0", "rail1"],
        kernel_arguments=["quiet splash"],
    )
    assert tuning["host_tuning_problems"](wanted, kernel) == [
        "host_tuning_sysctl: vm.swapiness, which this kernel (6.1.0-1-amd64) does not have. Mind the spelling, load "
        "the module it belongs to first, or take it out",
        "host_tuning_limits: memlock lots. Give a number or unlimited",
        "host_tuning_governor: turbo, and this host offers performance, powersave. Choose one",
        "host_tuning_isolated_cpus: 9 of 1-3,9, and this host has 0-3. Name processors of this host",
        "host_tuning_isolated_cpus: 1-3,9 leaves node 1 (2-3) no processor for the kernel and its rails' interrupts. "
        "Leave at least one per node",
        "host_tuning_rails: no interface rail1 on this host (ip link). Run role rail_interfaces first",
        "host_tuning_kernel_arguments: 'quiet splash' is not one argument. Write name or name=value",
    ]


def test_deep_idle_states_go_and_shallow_ones_stay_on_every_processor(tuning, kernel):
    values = tuning["host_tuning_values"](settings(), kernel)
    base = "/sys/devices/system/cpu/cpu"
    assert {name: value for name, value in values.items() if name.startswith(f"{base}3/")} == {
        f"{base}3/cpufreq/scaling_governor": "performance",
        f"{base}3/cpuidle/state0/disable": "0",
        f"{base}3/cpuidle/state1/disable": "0",
        f"{base}3/cpuidle/state2/disable": "1",
    }
    assert values["/proc/sys/kernel/numa_balancing"] == "0"
    assert tuning["host_tuning_processors"](settings(), kernel)[f"{base}*/cpuidle/state2/disable"] == "1"


def test_processors_are_left_to_the_tuning_daemon_where_it_is_asked_for(tuning, kernel):
    assert set(tuning["host_tuning_values"](settings(tuned=True), kernel)) == {
        "/proc/sys/vm/swappiness",
        "/proc/sys/kernel/numa_balancing",
    }


def test_a_kernel_without_numa_balancing_or_frequencies_is_not_asked_for_them(tuning, kernel):
    kernel["sysctl"]["kernel.numa_balancing"] = None
    kernel["processors"] |= {"governors": [], "available_governors": [], "idle_states": []}
    assert tuning["host_tuning_values"](settings(), kernel) == {"/proc/sys/vm/swappiness": "10"}


def test_numa_balancing_that_nobody_wants_either_way_is_left_alone(tuning, kernel):
    assert tuning["host_tuning_sysctl"](settings(numa_balancing=None), kernel) == {"vm.swappiness": "10"}


def test_isolation_is_three_arguments_that_belong_together(tuning):
    assert tuning["host_tuning_arguments"](settings(isolated_cpus="2-3")) == [
        "iommu=pt",
        "isolcpus=managed_irq,domain,2-3",
        "nohz_full=2-3",
        "rcu_nocbs=2-3",
    ]


def test_more_open_files_than_the_kernel_allows_would_lock_everybody_out_and_are_refused(tuning, kernel):
    files = [{"item": "nofile", "value": "1048577"}]
    (problem,) = tuning["host_tuning_problems"](settings(limits=files), kernel)
    assert problem == (
        "host_tuning_limits: nofile 1048577, and the kernel allows 1048576 (sysctl fs.nr_open): every login would "
        "fail. Ask for less, or set fs.nr_open in host_tuning_sysctl"
    )
    kernel["sysctl"]["fs.nr_open"] = "1048576"
    raised = settings(limits=files, sysctl={"fs.nr_open": 2097152})
    assert tuning["host_tuning_problems"](raised, kernel) == []


def test_two_translations_of_devices_are_refused(tuning, kernel):
    kernel["cmdline_next_boot"] += " iommu=off"
    (problem,) = tuning["host_tuning_problems"](settings(), kernel)
    assert problem.startswith(
        "host_tuning_kernel_arguments: iommu=pt, and the boot loader has iommu=off from elsewhere"
    )


def test_what_another_role_sets_is_refused(tuning, kernel):
    wanted = settings(sysctl={"net.ipv4.conf.all.rp_filter": 1})
    (problem,) = tuning["host_tuning_problems"](wanted, kernel)
    assert "is set by roles rail_interfaces and plane_guard" in problem


@pytest.mark.parametrize(
    ("running", "coming", "editor", "reasons", "by_hand"),
    [
        pytest.param("ro iommu=pt", "ro iommu=pt", "update-grub", [], [], id="there already"),
        pytest.param(
            "ro",
            "ro iommu=pt",
            "update-grub",
            ["host_tuning: the running kernel was started without iommu=pt (cat /proc/cmdline)"],
            [],
            id="a reboot brings it",
        ),
        pytest.param(
            "ro iommu=pt nohz_full=1",
            "ro iommu=pt",
            "update-grub",
            ["host_tuning: the running kernel still has nohz_full=1 (cat /proc/cmdline)"],
            [],
            id="a reboot takes it away",
        ),
        pytest.param(
            "ro",
            None,
            None,
            [],
            [
                "host_tuning: iommu=pt stays unset: this host has no update-grub. Set it where the kernel's command "
                "line is kept"
            ],
            id="a reboot would bring nothing and is not asked for",
        ),
    ],
)
def test_a_reboot_is_asked_for_only_if_it_helps(tuning, kernel, running, coming, editor, reasons, by_hand):
    kernel |= {"cmdline": running, "cmdline_next_boot": coming, "boot_editor": editor}
    assert tuning["host_tuning_boot"](settings(), kernel) == {"reasons": reasons, "by_hand": by_hand}


@pytest.fixture
def host(tree):
    """Two NICs on node 1 (processors 4-7, of which 5 is isolated), one whose platform names no node."""

    def nic(name, pci, node, irqs):
        base = f"sys/devices/pci0000:00/{pci}"
        files = {f"{base}/numa_node": f"{node}\n", f"{base}/net/{name}/mtu": "9000\n"}
        for irq in irqs:
            files |= {f"{base}/msi_irqs/{irq}": "msix\n", f"proc/irq/{irq}/smp_affinity_list": "0-7\n"}
        return files

    root = tree(
        {
            **nic("rail0", "0000:00:10.0", 1, [9, 10, 11]),
            **nic("rail1", "0000:00:11.0", 1, [20]),
            **nic("rail2", "0000:00:12.0", -1, [30]),
            "sys/devices/system/cpu/online": "0-7\n",
            "sys/devices/system/cpu/isolated": "5\n",
            "sys/devices/system/node/node0/cpulist": "0-3\n",
            "sys/devices/system/node/node1/cpulist": "4-7\n",
        }
    )
    (root / "sys/class/net").mkdir(parents=True)
    for name, pci in (("rail0", "10.0"), ("rail1", "11.0"), ("rail2", "12.0")):
        device = root / f"sys/devices/pci0000:00/0000:00:{pci}"
        (device / f"net/{name}/device").symlink_to("../..")
        (root / f"sys/class/net/{name}").symlink_to(device / f"net/{name}")
    return root


def test_interrupts_stay_on_their_nics_node_and_rails_of_one_node_take_turns(affinity, host):
    assert affinity.plan(host, ["rail0", "rail1", "rail2"]) == {9: 4, 10: 6, 11: 7, 20: 4, 30: 0}


def test_interrupts_are_moved_once(affinity, host):
    moved, kept = affinity.apply(host, ["rail0"], check_only=False)
    assert moved[0] == "interrupt 9: processor 4 instead of 0-7"
    assert (len(moved), kept) == (3, [])
    assert affinity.apply(host, ["rail0"], check_only=False) == ([], [])


def test_check_mode_moves_nothing(affinity, host):
    assert len(affinity.apply(host, ["rail1"], check_only=True)[0]) == 1
    assert (host / "proc/irq/20/smp_affinity_list").read_text() == "0-7\n"


def test_an_interface_without_interrupts_is_no_failure(affinity, host):
    assert affinity.plan(host, ["dummy0"]) == {}


def test_acs_is_gpudirects_and_a_semicolon_that_grub_would_end_the_line_at_is_refused(tuning, two_nodes, kernel_state):
    kernel = kernel_state.collect(two_nodes, [], [])
    wanted = settings(rails=[], sysctl={}, limits=[], governor="", kernel_arguments=["pci=disable_acs_redir=a;b"])
    assert [each.partition(": ")[2] for each in tuning["host_tuning_problems"](wanted, kernel)] == [
        "'pci=disable_acs_redir=a;b' is not one argument. Write name or name=value",
        "'pci=disable_acs_redir=a;b' is set by role gpudirect (gpudirect_acs), and the kernel takes the last of two "
        "alone. Take it out",
    ]
