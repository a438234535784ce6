"""The limits of a check, from Student's t with 8 degrees of freedom."""

from halfulp.verdicts import limits

t = limits.student_quantile(limits.FALSE_ALARM, 8)
print(f"t that |T| exceeds with probability {limits.FALSE_ALARM}: {t:.2f}; times {limits.MODEL_SLACK}: {limits.rms_limit(8):.2f} (rms)")
for count in (1, 100, 10_000, 1_000_000):
    print(f"{count:9,} elements, the worst: {limits.max_limit(8, count):6.1f}")
