import { onAbort } from '../../base/on-abort.js';
import { left } from '../terminal/keys/key-handler.js';

export interface LiveQuestionOptions {
  readonly input: NodeJS.ReadStream;
  readonly shownOn: NodeJS.WriteStream;
  /** Ends it: then nothing of it stays on the screen. */
  readonly signal: AbortSignal;
  /** A terminal that cannot go back is asked once. */
  readonly isDrawn: boolean;
}

/**
 * Asks for one line, by a question that changes while somebody types: what is typed stays, however many lines of the screen it
 * takes. What is pasted at once is one line, however a mail or a terminal has broken it. Rejects with `cancelled` when somebody leaves with Ctrl-C or Ctrl-D, and when the signal aborts.
 */
export async function askLive(
  question: () => string,
  { input, shownOn, signal, isDrawn }: LiveQuestionOptions,
): Promise<string> {
  const { clearScreenDown, createInterface, cursorTo, moveCursor } = await import('node:readline');
  if (signal.aborted) throw left();
  const lines = createInterface({ input, output: shownOn, terminal: true, historySize: 0 });
  let shown = '';
  let isOver = false;
  const draw = (): void => {
    const now = question();
    if (now === shown) return;
    shown = now;
    lines.setPrompt(now);
    lines.prompt(true);
  };
  const timer = isDrawn ? setInterval(draw, REDRAW_MS) : undefined;
  const wipe = (): void => {
    if (isDrawn) {
      moveCursor(shownOn, 0, -lines.getCursorPos().rows);
      cursorTo(shownOn, 0);
      clearScreenDown(shownOn);
    } else shownOn.write('\n');
    lines.close();
  };
  using _ = onAbort(signal, wipe);
  try {
    return await new Promise<string>((resolve, reject) => {
      const parts: string[] = [];
      lines.on('line', (part) => {
        parts.push(part.trim());
        // By then everything is read that came in the same piece; of what has no end yet, the end is waited for.
        setImmediate(() => lines.line === '' && resolve(parts.join('')));
      });
      lines.once('close', () => {
        if (isOver) return;
        if (!signal.aborted) shownOn.write('\n');
        reject(left());
      });
      draw();
    });
  } finally {
    clearInterval(timer);
    isOver = true;
    lines.close();
  }
}

const REDRAW_MS = 250; // so that no second is left out
