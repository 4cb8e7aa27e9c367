/** How long a server may take to end what it has said all of, in milliseconds. */
export const LINGER = 1_000;
/** How much of a page that nobody wants is read, so that its connection can be used again. */
export const SKIP_LIMIT = 65_536;
