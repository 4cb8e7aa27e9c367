/** Whether a number is a multiple of another as decimals: 0.3 is one of 0.1, and not of 0.2. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !Number.isFinite(divisor)) return false;
  const [dividend, dividendExponent] = toDecimal(value);
  const [unit, unitExponent] = toDecimal(divisor);
  const exponent = Math.min(dividendExponent, unitExponent);
  // At most 309 + 324 digits, so exact arithmetic is cheap.
  const left = dividend * 10n ** BigInt(dividendExponent - exponent);
  const right = unit * 10n ** BigInt(unitExponent - exponent);
  return left % right === 0n;
}

/** The shortest decimal of a number: digits and a power of ten. */
function toDecimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
