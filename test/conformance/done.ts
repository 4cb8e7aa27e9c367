/** The driver's last line of output. The suite counts a client that was killed, or that never ran, as passed. */
export const DONE = 'The driver did what the scenario asks.';
