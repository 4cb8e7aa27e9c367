/** Runs a listener; an exception in an embedder's code must not break the connection. */
export function shielded(tell: () => void): void {
  try {
    tell();
  } catch {
    // Only the listener's own work is lost.
  }
}
