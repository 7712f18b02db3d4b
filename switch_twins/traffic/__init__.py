"""Traffic that is played over a lab's switches: what moves their counters."""
