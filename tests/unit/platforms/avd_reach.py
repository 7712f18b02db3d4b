"""How a switch is reached, as pyavd takes it."""

from typing import Any

from nornir_tasks.design.config.base import Base

Inputs = dict[str, Any]


def reach_inputs(base: Base) -> Inputs:
    """Of the API, if it is ours."""
    api = base.reach.api
    if api is None:
        return {}
    http: Inputs = {"enable_https": True, "https_ssl_profile": "GPUFABRIC"}
    if api.vrf:
        http["enable_vrfs"] = [{"name": api.vrf}]
    name = api.certificate
    files = {"file": f"{name}.crt", "key": f"{name}.key"}
    profile = {"name": "GPUFABRIC", "tls_versions": "1.2", "certificate": files}
    return {"management_api_http": http, "management_security": {"ssl_profiles": [profile]}}
