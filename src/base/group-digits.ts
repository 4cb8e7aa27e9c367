/** For instance 1,234,567. Not by `toLocaleString`, whose first use loads tables for 10 ms. */
export function groupDigits(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
}
