"""What counters say of a fabric under load: two readings, their rates, rules; one cause is one finding. Pure."""
