"""What Ansible starts for a task's connection, in place of its own script.

The server of preloaded_ansible.py runs that script with these words and descriptors, and this ends as it does.
"""

import json
import os
import socket
import sys
from pathlib import Path

if __name__ == "__main__":
    link = socket.socket(socket.AF_UNIX)
    link.connect(os.environ["GPUFABRIC_PRELOADED_ANSIBLE"])
    order = {"words": ["connection", *sys.argv[1:]], "environ": dict(os.environ), "cwd": str(Path.cwd())}
    socket.send_fds(link, [json.dumps(order).encode() + b"\n"], [1, 2, 0])
    answers = link.makefile()
    answers.readline()  # its process id
    sys.exit(json.loads(answers.readline())["code"])
