"""Pages that cannot be had are refused with the figure, all at once; what is asked for reaches the right files."""

import pytest


@pytest.fixture
def kernel(kernel_state, two_nodes):
    return kernel_state.collect(two_nodes, (), ())


def page(size, node, count):
    return {"size": size, "node": node, "count": count}


def test_a_wish_that_fits_has_no_problem(filters, kernel):
    pages = [page("2M", 2, 1024), page("1G", 2, 4), page("1G", 10, 6)]  # 6 of 8 GiB each: exactly 75 %
    assert filters["hugepages_problems"](pages, kernel, 75) == []


def test_all_sizes_of_a_node_count_together(filters, kernel):
    pages = [page("2M", 2, 1025), page("1G", 2, 4)]
    (problem,) = filters["hugepages_problems"](pages, kernel, 75)
    assert problem == (
        "hugepages_pages: 6.00 GiB of huge pages on node 2, which has 8.00 GiB; at most 75 % (6.00 GiB) may be asked "
        "for, since the rest of the system cannot use them. Ask for fewer pages, or raise hugepages_max_percent"
    )


def test_every_mistake_is_told_at_once(filters, kernel):
    pages = [page("2M", 0, 1), page("2M", 2, -1), page("2M", 2, 5)]
    assert filters["hugepages_problems"](pages, kernel, 75) == [
        "hugepages_pages: pages of 2M on node 2 are asked for twice. Keep one entry",
        "hugepages_pages: node 0, and this host has only node 2, 10. Name one of the host's nodes",
        "hugepages_pages: -1 pages of 2M on node 2. Ask for 0 or more",
    ]


def test_a_size_that_the_processor_lacks_is_refused(filters, kernel_state, tree):
    root = tree(
        {"proc/meminfo": "MemTotal: 8000000 kB\n", "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "0\n"}
    )
    kernel = kernel_state.collect(root, (), ())
    (problem,) = filters["hugepages_problems"]([page("1G", 0, 1)], kernel, 75)
    assert problem == (
        "hugepages_pages: pages of 1G, which this processor and kernel do not have (they have: 2048 KiB). "
        "Ask for another size"
    )


def test_values_go_to_the_files_of_their_node(filters, kernel):
    assert filters["hugepages_values"]([page("1G", 10, 3)], kernel) == {
        "/sys/devices/system/node/node10/hugepages/hugepages-1048576kB/nr_hugepages": "3"
    }


@pytest.mark.parametrize(
    ("pages", "arguments"),
    [
        pytest.param([], "", id="nothing"),
        pytest.param([page("2M", 0, 64), page("1G", 0, 0)], "", id="small pages need no argument"),
        pytest.param([page("1G", 0, 4), page("1G", 1, 2)], "hugepagesz=1G hugepages=0:4,1:2", id="per node"),
    ],
)
def test_kernel_arguments(filters, pages, arguments):
    assert filters["hugepages_arguments"](pages) == arguments


def test_what_is_missing_is_named_with_the_file_that_shows_it(filters, kernel):
    assert filters["hugepages_missing"]([page("2M", 2, 64), page("2M", 10, 8)], kernel) == [
        "hugepages: node 10 has 0 of 8 pages of 2M "
        "(cat /sys/devices/system/node/node10/hugepages/hugepages-2048kB/nr_hugepages)"
    ]


ARGUMENTS = "hugepagesz=1G hugepages=10:6"


@pytest.mark.parametrize(
    ("running", "coming", "editor", "where", "says"),
    [
        pytest.param(
            "quiet", f"quiet {ARGUMENTS}", "update-grub", "reasons", "of 6 pages of 1G", id="next boot has it"
        ),
        pytest.param("quiet", None, None, "by_hand", "has no update-grub", id="no boot loader of ours"),
        pytest.param("quiet", "quiet", "update-grub", "by_hand", "does not get it", id="menu without it"),
        pytest.param(
            f"quiet {ARGUMENTS}", f"quiet {ARGUMENTS}", "update-grub", "by_hand", "ask for fewer", id="had it"
        ),
    ],
)
def test_a_host_is_not_rebooted_for_pages_that_no_reboot_brings(filters, kernel, running, coming, editor, where, says):
    kernel = {**kernel, "cmdline": running, "cmdline_next_boot": coming, "boot_editor": editor}
    boot = filters["hugepages_boot"]([page("1G", 10, 6)], kernel)
    assert [says in each for each in boot[where]] == [True]
    assert sum(len(each) for each in boot.values()) == 1


def test_small_pages_that_are_missing_come_with_the_next_boot(filters, kernel):
    kernel = {**kernel, "cmdline_next_boot": None, "boot_editor": None}
    boot = filters["hugepages_boot"]([page("2M", 10, 8)], kernel)
    assert len(boot["reasons"]) == 1
    assert boot["by_hand"] == []
