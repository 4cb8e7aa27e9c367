/** How long a server may take to end what it has said all of, in milliseconds. */
export const LINGER = 1_000;
/** How much of a page that nobody wants is read, so that its connection can be used again. */
export const SKIP_LIMIT = 65_536;
/** How long a message may take that was sent just before the end. */
export const LAST_WORDS = 500;
