"""One setting asked of both sides: a look at the numbers, the whole judgement, and where the reference is no guide."""
