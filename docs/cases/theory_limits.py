"""The limits of a check, from Student's t with 8 degrees of freedom."""

from halfulp.verdicts import limits

t = limits.student_quantile(limits.FALSE_ALARM, 8)
print(f"|T| exceeds {t:.2f} with probability {limits.FALSE_ALARM}")
print(f"limit of the rms: {limits.MODEL_SLACK} times that, {limits.rms_limit(8):.2f}")
for count in (1, 100, 10_000, 1_000_000):
    print(f"limit of the worst of {count:,} elements: {limits.max_limit(8, count):.1f}")
