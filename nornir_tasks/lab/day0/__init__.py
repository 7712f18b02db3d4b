"""Serving first boots on loopback: what is handed out for which token, and the certificates that switches ask for."""
