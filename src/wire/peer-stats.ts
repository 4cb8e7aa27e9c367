/** What a server sent that nobody could use. */
export interface PeerStats {
  /** Answers that nobody waits for: late ones, and such that were never asked for. */
  dropped: number;
  /** Messages that are none. */
  invalid: number;
  /** Requests and notes that the server sent by itself. */
  unasked: number;
  /** Requests of the server whose reply did not reach it: it does not read, refuses the reply, or is gone. */
  unanswered: number;
}
