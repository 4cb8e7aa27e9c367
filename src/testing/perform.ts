/** A mistake of ours must not look like the attack: it is told, and nothing else becomes of it. */
export async function perform<Turn>(handler: (turn: Turn) => unknown, turn: Turn): Promise<void> {
  try {
    await handler(turn);
  } catch (error) {
    process.emitWarning(`The hostile server itself failed: ${String(error)}`);
  }
}
