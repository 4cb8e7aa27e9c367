/** How long a server may take to end what it has said all of, in milliseconds. */
export const BODY_END_TIMEOUT_MS = 1_000;
/** How much of a page that nobody wants is read, so that its connection can be used again. */
export const SKIPPED_BODY_BYTES = 65_536;
/** How long a message may take that was sent just before the end. */
export const LAST_MESSAGE_TIMEOUT_MS = 500;
