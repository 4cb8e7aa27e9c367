/** Counts of a server's messages that could not be used, or were not asked for. */
export interface PeerStats {
  /** Responses to no request in flight: late ones, and ones never asked for. */
  dropped: number;
  /** Messages that are not JSON-RPC. */
  malformed: number;
  /** Unsolicited requests and notifications of the server. */
  unsolicited: number;
  /** Requests of the server whose response did not reach it: it does not read, refuses the response, or is gone. */
  unanswered: number;
}
