import type { CallProgress } from '../../model/tool.js';
import type { Io } from '../io.js';
import { showLine } from '../../model/show.js';
import { cutToColumns } from '../terminal/text/text-width.js';

/** Shows the progress of a call: one line on a terminal, redrawn; nothing elsewhere. */
export function callProgress(
  { stderr }: Io,
  { isWanted, tool }: { readonly isWanted: boolean; readonly tool: string },
): { readonly show: (progress: CallProgress) => void; readonly clear: () => void } {
  if (!isWanted || !stderr.isTerminal) return { show: () => {}, clear: () => {} };
  let drawn = 0;
  let isShown = false;
  const silence = setTimeout(() => {
    isShown = true;
    stderr.write(showLine(`Waiting for ${tool} (Ctrl-C stops)`));
  }, SILENCE_MS);
  return {
    show({ progress, total, message }) {
      clearTimeout(silence);
      const now = performance.now();
      if (isShown && now - drawn < REDRAW_MS) return;
      drawn = now;
      isShown = true;
      const words = message === undefined ? '' : `  ${showLine(message)}`;
      const line = `${toBar(progress, total) ?? (words === '' ? String(progress) : showLine(tool))}${words}`;
      stderr.write(`\r\u001B[K${cutToColumns(line, (stderr.columns || COLUMNS) - 1)}`);
    },
    clear() {
      clearTimeout(silence);
      if (isShown) stderr.write('\r\u001B[K');
      isShown = false;
    },
  };
}

/** A progress bar; undefined without a total, where a number says less than the server's message. */
export function toBar(progress: number, total: number | undefined): string | undefined {
  if (total === undefined || !(total > 0) || Number.isNaN(progress)) return undefined;
  const share = Math.max(Math.min(progress / total, 1), 0) || 0;
  return `${'█'.repeat(Math.round(share * BAR)).padEnd(BAR, '░')} ${Math.round(share * 100)} %`;
}

const COLUMNS = 80; // for a terminal that does not report its width
const BAR = 20;
const REDRAW_MS = 80;
const SILENCE_MS = 2_000; // after this the user is told what is waited for
