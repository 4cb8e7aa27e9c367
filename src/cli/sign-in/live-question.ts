import { onAbort } from '../../base/on-abort.js';
import { left } from '../terminal/keys/key-handler.js';

export interface LiveQuestionOptions {
  readonly input: NodeJS.ReadStream;
  readonly shownOn: NodeJS.WriteStream;
  /** Aborting removes the question from the screen. */
  readonly signal: AbortSignal;
  /** False on a terminal that cannot redraw: the question is asked once. */
  readonly isDrawn: boolean;
}

/**
 * Asks for one line with a question that changes meanwhile; typed text stays. A paste is one line, even if a mail or a
 * terminal has broken it. Rejects with `cancelled` on Ctrl-C, Ctrl-D or when the signal aborts.
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
        // By then the whole chunk is read. A last line without its end is waited for.
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

const REDRAW_MS = 250; // often enough to skip no second
