/** Only reports what a handler throws: a bug of this kit must not look like the attack. */
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
