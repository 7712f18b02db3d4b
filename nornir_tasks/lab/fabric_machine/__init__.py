"""A routed lab in one QEMU machine, for kernels that lack what its planes need: the same process, fabric and all.

serve.py         the lab's process on this machine: it starts QEMU, has the switches' process run in it, and ends both
machine.py       QEMU's command line, and SSH into it: every API address of the lab and its control socket lead there
parcel.py        what is sent in: the switches' program, the specification, the password
requirements.py  what all of it needs here, checked before anything starts
"""
