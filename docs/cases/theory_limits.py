"""The limits of a check, from Student's t with 8 degrees of freedom."""

from halfulp.differences import allowance

t = allowance.student_quantile(allowance.FALSE_ALARM, 8)
print(f"|T| exceeds {t:.2f} with probability {allowance.FALSE_ALARM}")
print(f"limit of the rms: {allowance.MODEL_SLACK} times that, {allowance.rms_limit(8):.2f}")
for count in (1, 100, 10_000, 1_000_000):
    print(f"limit of the worst of {count:,} elements: {allowance.max_limit(8, count):.1f}")
