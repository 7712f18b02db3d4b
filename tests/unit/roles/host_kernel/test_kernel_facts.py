"""What the kernel says is read as it stands; what it does not say is None, never a guess."""

import pytest


def collect(kernel_state, root, rails=(), sysctl=()):
    return kernel_state.collect(root, rails, sysctl)


def test_nodes_come_in_the_order_of_their_numbers_with_their_own_pages(kernel_state, two_nodes):
    nodes = collect(kernel_state, two_nodes)["nodes"]
    assert [(node["node"], node["memory_bytes"], node["cpus"]) for node in nodes] == [
        (2, 8 << 30, "0-1"),
        (10, 8 << 30, "2-3"),
    ]
    assert nodes[0]["pools"][0] == {
        "size_kib": 2048,
        "total": 64,
        "free": 64,
        "path": "/sys/devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages",
    }
    assert [pool["size_kib"] for pool in nodes[1]["pools"]] == [2048, 1048576]


def test_a_kernel_without_numa_has_one_node(kernel_state, tree):
    root = tree(
        {
            "proc/meminfo": "MemTotal:        2000000 kB\nMemFree: 5 kB\n",
            "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "3\n",
        }
    )
    (node,) = collect(kernel_state, root)["nodes"]
    assert (node["node"], node["memory_bytes"]) == (0, 2000000 * 1024)
    assert node["pools"][0]["path"] == "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"


def test_an_empty_host_tells_nothing_and_nothing_is_made_up(kernel_state, tmp_path):
    facts = collect(kernel_state, tmp_path, rails=["rail0"], sysctl=["vm.swappiness"])
    assert facts["cmdline"] is None and facts["cmdline_next_boot"] is None and facts["boot_editor"] is None
    assert facts["sysctl"] == {"vm.swappiness": None}
    assert facts["rails"] == {"rail0": {"exists": False, "numa_node": None, "interrupts": []}}
    assert facts["limits"] == [] and facts["modules"] == [] and facts["tuned_profile"] is None


def test_the_next_boot_is_the_first_entry_of_grubs_menu(kernel_state, tree):
    root = tree(
        {
            "boot/grub/grub.cfg": "menuentry 'a' {\n\tlinux\t/boot/vmlinuz-6.1.0 root=UUID=1 ro quiet iommu=pt\n}\n"
            "menuentry 'recovery' {\n\tlinux\t/boot/vmlinuz-6.1.0 root=UUID=1 ro single\n}\n",
            "usr/sbin/update-grub": "#!/bin/sh\n",
            "proc/cmdline": "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=UUID=1 ro quiet\n",
        }
    )
    facts = collect(kernel_state, root)
    assert facts["cmdline_next_boot"] == "root=UUID=1 ro quiet iommu=pt"
    assert facts["boot_editor"] == "update-grub"


def virtio_rail(tree):
    root = tree(
        {
            "sys/devices/pci0000:00/0000:00:10.0/msi_irqs/24": "msix\n",
            "sys/devices/pci0000:00/0000:00:10.0/msi_irqs/25": "msix\n",
            "sys/devices/pci0000:00/0000:00:10.0/msi_irqs/26": "msix\n",
            "sys/devices/pci0000:00/0000:00:10.0/numa_node": "1\n",
            "sys/devices/pci0000:00/0000:00:10.0/virtio3/net/rail0/mtu": "9000\n",
            "proc/irq/24/smp_affinity_list": "0-3\n",
            "proc/irq/25/smp_affinity_list": "2\n",
        }
    )
    (root / "sys/class/net").mkdir(parents=True)
    device = root / "sys/devices/pci0000:00/0000:00:10.0/virtio3"
    (device / "net/rail0/device").symlink_to("../..")
    (root / "sys/class/net/rail0").symlink_to(device / "net/rail0")
    return root


def test_a_virtio_rails_interrupts_are_those_of_the_pci_device_above_it(kernel_state, tree):
    rails = collect(kernel_state, virtio_rail(tree), rails=["rail0"])["rails"]
    assert rails["rail0"] == {
        "exists": True,
        "numa_node": 1,
        "interrupts": [{"irq": 24, "cpus": "0-3"}, {"irq": 25, "cpus": "2"}],  # 26 is allotted and not in use
    }


def test_an_idle_state_counts_as_disabled_only_if_it_is_so_on_every_processor(kernel_state, tree):
    def state(cpu, number, name, disable):
        base = f"sys/devices/system/cpu/cpu{cpu}/cpuidle/state{number}"
        return {f"{base}/name": name, f"{base}/latency": "133\n", f"{base}/disable": disable}

    root = tree(
        {
            **state(0, 0, "C1", "0"),
            **state(0, 1, "C6", "1"),
            **state(1, 0, "C1", "0"),
            **state(1, 1, "C6", "0"),
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
            "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave\n",
        }
    )
    processors = collect(kernel_state, root)["processors"]
    assert [(state["name"], state["disabled"]) for state in processors["idle_states"]] == [("C1", False), ("C6", False)]
    assert processors["governors"] == ["performance", "powersave"]


def test_limits_are_read_in_the_order_pam_reads_them(kernel_state, tree):
    root = tree(
        {
            "etc/security/limits.conf": "# comment\n* soft memlock 64\n",
            "etc/security/limits.d/90-ours.conf": "*  -  memlock  unlimited # all\nbroken line\n",
        }
    )
    limits = collect(kernel_state, root)["limits"]
    assert [(row["item"], row["value"], row["file"]) for row in limits] == [
        ("memlock", "64", "/etc/security/limits.conf"),
        ("memlock", "unlimited", "/etc/security/limits.d/90-ours.conf"),
    ]


def test_sysctl_values_of_several_numbers_have_single_spaces(kernel_state, tree):
    root = tree({"proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n"})
    assert collect(kernel_state, root, sysctl=["net.ipv4.tcp_rmem"])["sysctl"] == {
        "net.ipv4.tcp_rmem": "4096 131072 6291456"
    }


def test_only_mounts_of_hugetlbfs_are_told(kernel_state, tree):
    root = tree({"proc/mounts": "proc /proc proc rw 0 0\nhugetlbfs /dev/hugepages1G hugetlbfs rw,pagesize=1024M 0 0\n"})
    assert collect(kernel_state, root)["hugetlbfs"] == [{"path": "/dev/hugepages1G", "options": "rw,pagesize=1024M"}]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('linux /vmlinuz ro pci=disable_acs_redir="a/00.0;b" quiet', "ro pci=disable_acs_redir=a/00.0;b quiet"),
        ("linux /vmlinuz ro pci=disable_acs_redir=a;b quiet", "ro pci=disable_acs_redir=a"),
        (r"linux /vmlinuz ro pci=disable_acs_redir=a\;b quiet", "ro pci=disable_acs_redir=a;b quiet"),
        ("linux /vmlinuz ro 'one word' hugepages=0:1", "ro one word hugepages=0:1"),
    ],
)
def test_the_next_boot_gets_what_grub_reads_a_bare_semicolon_ends_the_line(kernel_state, tree, line, expected):
    root = tree({"boot/grub/grub.cfg": f"menuentry x {{\n\t{line}\n}}\n"})
    assert kernel_state.next_boot(root) == expected
