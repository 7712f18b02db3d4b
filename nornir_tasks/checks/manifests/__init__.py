"""Objects of a Kubernetes cluster against the intent: what of them meets the network, judged value by value."""
