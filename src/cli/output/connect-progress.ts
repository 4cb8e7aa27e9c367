import { lookOfStatus } from '../../actions/servers/server-status.js';
import type { Host, ServerChange } from '../../index.js';
import type { Io } from '../io.js';
import { clockOf } from '../start/program-clock.js';
import { showLine } from '../../model/show.js';
import { cutToColumns, textWidth } from '../terminal/text/text-width.js';
import { isPlain } from './style.js';
import type { ProgramRun } from '../verb.js';

/**
 * Shows the progress of connecting. On a terminal one line, redrawn and removed at the end; elsewhere a line for each
 * event, with --verbose or once it takes long. Disposing of it ends it.
 */
export function showConnecting(host: Host, { io, invocation, isAsking }: ConnectingOptions): Disposable {
  // Messages that --trace shows would be written into the line.
  if (['quiet', 'json', 'trace'].some((flag) => invocation.has(flag))) return NOTHING;
  const pending = host.servers().filter(({ status }) => status === 'pending');
  const waiting = new Set(pending.map(({ name }) => name));
  const count: Count = { total: waiting.size, waiting, signIns: 0, failures: 0 };
  // A dumb terminal cannot go back to the beginning of a line.
  const isDrawn = io.stderr.isTerminal && !isPlain(io);
  const view = isDrawn
    ? drawLine(count, io, isAsking)
    : writeLines(count, { io, isVerbose: invocation.has('verbose'), isAsking });
  const listening = host.on('server', (change) => {
    const { name, after } = change;
    if (after === 'pending') {
      count.total += waiting.has(name) ? 0 : 1;
      waiting.add(name);
    } else if (waiting.delete(name)) {
      if (after === 'needs-auth') count.signIns++;
      if (after === 'failed') count.failures++;
      view.changed(change);
    }
  });
  return {
    [Symbol.dispose]() {
      listening[Symbol.dispose]();
      view[Symbol.dispose]();
    },
  };
}

interface ConnectingOptions extends ProgramRun {
  /** Whether a dialog is open on the same terminal: nothing is written into it. */
  readonly isAsking: () => boolean;
}

interface Count {
  total: number;
  readonly waiting: ReadonlySet<string>;
  signIns: number;
  failures: number;
}

interface View extends Disposable {
  changed(change: ServerChange): void;
}

const NOTHING: Disposable = { [Symbol.dispose]() {} };

function drawLine(count: Count, io: Io, isAsking: () => boolean): View {
  const { stderr } = io;
  const clock = clockOf(io);
  const began = clock.monotonic();
  let drawn = '';
  const draw = (): void => {
    if (count.total === 0) return;
    if (isAsking()) {
      drawn = ''; // the dialog has scrolled the line away
      return;
    }
    const isLong = clock.monotonic() - began >= LONG_MS;
    const line = lineOf(count, { isLong, room: (stderr.columns || COLUMNS) - 1 });
    if (line === drawn) return;
    stderr.write(`\r\u001B[K${line}`);
    drawn = line;
  };
  // The first drawing waits: a line that is gone in a moment would flicker.
  const drawAgain = (): void => {
    draw();
    timer = clock.after(REDRAW_MS, drawAgain);
  };
  let timer = clock.after(FIRST_MS, drawAgain);
  return {
    changed() {}, // the next redraw shows the change
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      if (drawn !== '' && !isAsking()) stderr.write('\r\u001B[K');
    },
  };
}

/** `Connecting 37/50 ... 3 need login, 2 failed`, then the servers that are waited for, as far as there is room. */
function lineOf(
  { total, waiting, signIns, failures }: Count,
  { isLong, room }: { readonly isLong: boolean; readonly room: number },
): string {
  const troubles = [
    signIns > 0 ? `${signIns} need${signIns === 1 ? 's' : ''} login` : '',
    failures > 0 ? `${failures} failed` : '',
  ].filter(Boolean);
  const far = [`Connecting ${total - waiting.size}/${total} ...`, troubles.join(', ')].filter(Boolean).join(' ');
  if (!isLong || waiting.size === 0) return cutToColumns(far, room);
  const whole = showLine(`${far}${troubles.length > 0 ? ';' : ''} waiting for ${namesOf(waiting)}`);
  return textWidth(whole) + STOPS.length <= room ? whole + STOPS : cutToColumns(whole, room);
}

const STOPS = ' (Ctrl-C stops)';

function writeLines(
  count: Count,
  { io, isVerbose, isAsking }: Omit<ConnectingOptions, 'invocation'> & { readonly isVerbose: boolean },
): View {
  const { stderr } = io;
  let isLong = false;
  const timer = clockOf(io).after(LONG_MS, () => {
    isLong = true;
    const { total, waiting } = count;
    if (waiting.size === 0 || isAsking()) return;
    stderr.write(`${showLine(`Connecting ${total - waiting.size}/${total}: waiting for ${namesOf(waiting)}`)}\n`);
  });
  return {
    changed({ name, after, reason }) {
      if ((!isVerbose && !isLong) || isAsking()) return;
      const { total, waiting } = count;
      const { word } = lookOfStatus(after);
      const why = after === 'connected' ? '' : `: ${reason}`;
      stderr.write(`${showLine(`Connecting ${total - waiting.size}/${total}: ${name} ${word}${why}`)}\n`);
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

function namesOf(waiting: ReadonlySet<string>): string {
  const names = [...waiting].slice(0, NAMES).join(', ');
  return waiting.size > NAMES ? `${names} and ${waiting.size - NAMES} more` : names;
}

const COLUMNS = 80; // for a terminal that does not report its width
const NAMES = 3;
const FIRST_MS = 150;
const REDRAW_MS = 80;
const LONG_MS = 2_000; // after this the user is told what is waited for
