/** How many days back a report of values goes where nobody says. */
export const VALUE_DAYS = 30;

/** Whether a report can go back so many days. */
export function isValueDays(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LONGEST;
}

const LONGEST = 3_650; // ten years
