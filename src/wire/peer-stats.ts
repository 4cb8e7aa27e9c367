/** What a server sent that nobody could use. */
export interface PeerStats {
  /** Answers that nobody waits for: late ones, and such that were never asked for. */
  dropped: number;
  /** Messages that are no JSON-RPC. */
  malformed: number;
  /** Requests and notifications that the server sent by itself. */
  unsolicited: number;
  /** Requests of the server whose reply did not reach it: it does not read, refuses the reply, or is gone. */
  unanswered: number;
}
