"""Can this user have the boundary's firewalls proved on this machine? If not: a line with the reason, exit code 1."""

import sys

from nornir_tasks.errors import LabError
from nornir_tasks.lab.boundary.rules import check_requirements

if __name__ == "__main__":
    try:
        check_requirements()
    except LabError as error:
        (problem,) = error.problems
        sys.exit(f"{problem.what} ({problem.hint})")
