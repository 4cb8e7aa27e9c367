/** The day of a time, as the clock on the user's wall has it: `2026-11-15`. */
export function dayText(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
