"""The parts of a DeviceConfig, a module for each subject.

A part that is a section has its template's stem (``templates/<os>/<section>.j2``), or stands with the section that it
belongs to.
"""
