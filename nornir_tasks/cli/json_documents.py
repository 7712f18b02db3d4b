"""What each JSON document of the command line holds: ``nornir schema NAME`` prints it as JSON Schema.

Every document stands in one envelope (``cli/console.py`` makes it). Within a version keys are only added: consumers
ignore what they do not know. A key that goes, or means something else, raises the version of its document.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from nornir_tasks.cli.console import version_of
from nornir_tasks.cli.contracts.design import BillDocument, DesignDocument, MovesDocument, RenderDocument
from nornir_tasks.cli.contracts.envelope import ErrorDocument
from nornir_tasks.cli.contracts.exports import (
    AuditDocument,
    Day0Document,
    Day0ServeDocument,
    ManifestsDocument,
    TopologyDocument,
)
from nornir_tasks.cli.contracts.lab import (
    LabDownDocument,
    LabExportDocument,
    LabFaultDocument,
    LabHostCountersDocument,
    LabPlayDocument,
    LabProbeDocument,
    LabStatusDocument,
    LabUpDocument,
)
from nornir_tasks.cli.contracts.proofs import ProveDocument
from nornir_tasks.cli.contracts.start import (
    ExplainDocument,
    InitDocument,
    InitListDocument,
    InitUpdateDocument,
    SchemasDocument,
)
from nornir_tasks.cli.contracts.switches import (
    ApproveDocument,
    ChecksDocument,
    CountersDocument,
    DrainDocument,
    HistoryDocument,
    PlanDocument,
    PlanFileDocument,
    PushDocument,
    PushesDocument,
    ReportDocument,
    TrustDocument,
    ValidateDocument,
)

DOCUMENTS: Mapping[str, type] = {
    "error": ErrorDocument,
    "design": DesignDocument,
    "design-bom": BillDocument,
    "design-moves": MovesDocument,
    "render": RenderDocument,
    "prove": ProveDocument,
    "plan": PlanDocument,
    "plan-file": PlanFileDocument,
    "approve": ApproveDocument,
    "push": PushDocument,
    "validate": ValidateDocument,
    "checks": ChecksDocument,
    "counters": CountersDocument,
    "pushes": PushesDocument,
    "history": HistoryDocument,
    "drain": DrainDocument,
    "report": ReportDocument,
    "trust": TrustDocument,
    "audit-k8s": AuditDocument,
    "day0": Day0Document,
    "day0-serve": Day0ServeDocument,
    "export-topology": TopologyDocument,
    "export-k8s-rdma": ManifestsDocument,
    "lab-up": LabUpDocument,
    "lab-down": LabDownDocument,
    "lab-status": LabStatusDocument,
    "lab-export": LabExportDocument,
    "lab-fault": LabFaultDocument,
    "lab-play": LabPlayDocument,
    "lab-host-counters": LabHostCountersDocument,
    "lab-probe": LabProbeDocument,
    "init": InitDocument,
    "init-update": InitUpdateDocument,
    "init-list": InitListDocument,
    "explain": ExplainDocument,
    "schemas": SchemasDocument,
}
"""Name -> what it holds."""


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one document."""
    made = TypeAdapter(DOCUMENTS[name]).json_schema(mode="serialization")
    made["properties"]["schema"]["const"] = f"gpufabric/{name}"
    made["properties"]["version"]["const"] = version_of(name)
    return {"$schema": GenerateJsonSchema.schema_dialect, "$id": f"gpufabric/{name}", **made}
