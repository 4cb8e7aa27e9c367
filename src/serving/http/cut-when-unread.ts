import type { ServerResponse } from 'node:http';

/** Closes the connection of a client that for this long reads nothing of what waits for it. A slow one is not cut. */
export function cutWhenUnread(response: ServerResponse, ms: number = UNREAD_MS): void {
  // Node's timer of the socket starts again with whatever the other side has taken.
  response.setTimeout(ms, () => {
    if (response.writableLength > 0) response.destroy();
  });
}

const UNREAD_MS = 60_000;
