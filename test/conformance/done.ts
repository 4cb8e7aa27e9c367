/** What the driver says last. The suite takes a client that was killed, or that never came so far, for one that is content. */
export const DONE = 'The driver did what the scenario asks.';
