/** Whether tmux passes wrapped sequences on to the terminal: off by default. Never rejects. */
export async function passesThroughTmux(env: { readonly [name: string]: string | undefined }): Promise<boolean> {
  const { execFile } = await import('node:child_process'); // the first prompt does not need it
  return new Promise((resolve) => {
    const options = { env: { ...env }, timeout: ANSWER_MS, encoding: 'utf8', windowsHide: true } as const;
    execFile('tmux', ['show-options', '-pAqv', 'allow-passthrough'], options, (error, told) =>
      resolve(!error && ['on', 'all'].includes(told.trim())),
    );
  });
}

/** A sequence that tmux passes on unread. */
export function wrapForTmux(sequence: string): string {
  return `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`;
}

/** Bytes of one wrapped sequence; tmux drops longer ones. */
export const TMUX_LIMIT = 1_000_000;
const ANSWER_MS = 1_000;
