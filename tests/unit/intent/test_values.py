"""What the intent writes as text: which forms are taken, and what each means."""

import pytest
from pydantic import TypeAdapter, ValidationError

from nornir_tasks.intent.core import fields


@pytest.mark.parametrize(
    ("written", "meant"),
    [(3, 3.0), (1.5, 1.5), ("3:1", 3.0), ("1.5:1", 1.5), ("1:1", 1.0), ("3:2", 1.5), ("64:1", 64.0)],
)
def test_a_ratio_is_taken_as_a_number_and_in_the_form_that_the_tool_prints(written: object, meant: float) -> None:
    assert TypeAdapter(fields.Ratio).validate_python(written, strict=True) == meant


@pytest.mark.parametrize(
    "written", [0, -1, 65, True, None, "3", "3:0", "0:1", "65:1", "3:1:1", "-3:1", "a:b", "1e9", float("nan")]
)
def test_what_is_no_ratio_of_two_bandwidths_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(fields.Ratio).validate_python(written, strict=True)


@pytest.mark.parametrize(
    ("written", "meant"), [(26, (26,)), ("24-26", (24, 25, 26)), ((48, "8-9"), (8, 9, 48)), ("7-7", (7,))]
)
def test_a_set_of_dscp_is_a_point_a_range_or_a_list(written: object, meant: tuple[int, ...]) -> None:
    assert TypeAdapter(fields.DscpSet).validate_python(written) == meant


@pytest.mark.parametrize(
    "written", ["27-26", (), [], "0-64", "0-999999999999", "\u0662\u0663", -1, 64, True, "", None, (1, None)]
)
def test_a_set_of_dscp_that_no_packet_could_be_in_is_refused(written: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(fields.DscpSet).validate_python(written)


@pytest.mark.parametrize("reserved", [0, 23456, 65535, 4294967295])
def test_a_range_that_holds_a_reserved_asn_is_refused(reserved: int) -> None:
    for first, last in ((reserved, reserved), (max(0, reserved - 1), reserved + 1)):
        with pytest.raises(ValidationError):
            TypeAdapter(fields.Asns).validate_python(f"{first}-{last}")


@pytest.mark.parametrize("written", ["23457-65534", "65536-66000", "4200000000-4294967294", "1-23455"])
def test_a_range_beside_the_reserved_asns_is_taken(written: str) -> None:
    assert str(TypeAdapter(fields.Asns).validate_python(written)) == written


@pytest.mark.parametrize(
    "written", ["10.0.0.0", "10.0.0.0/255.0.0.0", "10.0.0.0/0.255.255.255", "10.0.0.0/33", "10.0.0.0/", 10, None]
)
def test_a_prefix_is_written_with_its_length(written: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(fields.Prefix).validate_python(written)


@pytest.mark.parametrize("written", ["00:00:00:00:00:00", "01:00:5e:00:00:01", "18:00.0", "ff:ff:ff:ff:ff:ff"])
def test_an_address_that_no_nic_has_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(fields.NicPlace).validate_python(written)


@pytest.mark.parametrize("written", ["00", "07", "1_0", "\u0661", "-1", True, "x", "9" * 5000])
def test_the_number_of_a_rail_is_written_in_one_way_only(written: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(fields.RailNumber).validate_python(written)
