/** A fault in what an embedder listens with is not the wire's. */
export function shielded(tell: () => void): void {
  try {
    tell();
  } catch {
    // Nothing is lost but what the listener itself failed to do.
  }
}
