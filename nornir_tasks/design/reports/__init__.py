"""What people read about a design: reasons, bill, cabling, drawings, moves."""
