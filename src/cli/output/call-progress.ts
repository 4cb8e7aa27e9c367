import type { CallWatch } from '../../actions/action-context.js';
import type { Io } from '../io.js';
import { showLine } from '../../model/show.js';
import { cutToColumns } from '../terminal/text/text-width.js';
import { ProgressMeter } from './progress-meter.js';
import { isPlain } from './style.js';

/** Shows the progress of a call: one line on a terminal, redrawn; with --plain a line now and then; nothing elsewhere. */
export function callProgress(
  io: Io,
  { isWanted, tool }: { readonly isWanted: boolean; readonly tool: string },
): CallWatch {
  const { stderr } = io;
  if (!isWanted || !stderr.isTerminal) return { show: () => {}, clear: () => {} };
  const isDrawn = !isPlain(io);
  const began = performance.now();
  const meter = new ProgressMeter();
  let drawnAt = -Infinity;
  let isShown = false;
  const write = (line: string): void => {
    isShown = true;
    drawnAt = performance.now();
    if (isDrawn) stderr.write(`\r\u001B[K${cutToColumns(line, (stderr.columns || COLUMNS) - 1)}`);
    else stderr.write(`${line}\n`);
  };
  const draw = (): void => {
    const ms = performance.now() - began;
    const parts = meter.parts(ms, { isWide: isDrawn });
    // Without a share and a message the seconds tell that the call is under way.
    const time = ms >= SILENCE_MS && isDrawn ? [`${Math.floor(ms / 1000)} s`] : [];
    write(isDrawn ? [...parts, ...time].join('  ') : `${showLine(tool)}: ${parts.join(', ')}`);
  };
  const silence = setTimeout(() => write(showLine(`Waiting for ${tool} (Ctrl-C stops)`)), SILENCE_MS);
  let ticking: NodeJS.Timeout | undefined;
  return {
    show(progress) {
      clearTimeout(silence);
      meter.take(progress, performance.now() - began);
      // The time that is left goes down between two reports.
      if (isDrawn) ticking ??= setInterval(draw, TICK_MS).unref();
      if (performance.now() - drawnAt >= (isDrawn ? REDRAW_MS : LINE_MS)) draw();
    },
    clear() {
      clearTimeout(silence);
      clearInterval(ticking);
      ticking = undefined;
      if (isShown && isDrawn) stderr.write('\r\u001B[K');
      isShown = false;
    },
  };
}

const COLUMNS = 80; // for a terminal that does not report its width
const REDRAW_MS = 80;
const TICK_MS = 1_000;
const LINE_MS = 5_000; // a line more often would be read aloud without an end
const SILENCE_MS = 2_000; // after this the user is told what is waited for
