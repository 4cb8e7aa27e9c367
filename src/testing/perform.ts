/** A mistake of ours must not look like the attack: it is told, and nothing else becomes of it. */
export async function performMode<Turn>(
  handler: (turn: Turn) => unknown,
  turn: Turn,
  tell: (text: string) => unknown = (text) => process.emitWarning(text),
): Promise<void> {
  try {
    await handler(turn);
  } catch (error) {
    await tell(`The hostile server itself failed: ${String(error)}`);
  }
}
