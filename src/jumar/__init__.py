"""jumar improves files against a measure: propose, measure, keep or put back, write down why."""
