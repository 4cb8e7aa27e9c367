/** How long a test waits for something that has to come: a guard against hanging, many times what a busy machine needs. */
export const PATIENT = { timeout: 300_000, interval: 5 };
