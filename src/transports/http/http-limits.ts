/** How long a server may take to end a body whose message is complete. */
export const BODY_END_TIMEOUT_MS = 1_000;
/** How much of a body without use is read, so that its connection can be reused. */
export const SKIPPED_BODY_BYTES = 65_536;
/** How long closing waits for notifications that are still being sent. */
export const LAST_MESSAGE_TIMEOUT_MS = 500;
