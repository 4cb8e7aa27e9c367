import type { Io } from '../io.js';

/** Time left, like `4:09`. `until`: in ms since 1970. */
export function clockText(until: number): string {
  const seconds = Math.max(Math.ceil((until - Date.now()) / 1000), 0);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Shows a countdown on the last line of the screen until it is disposed of. */
export function drawTimeLeft(until: number, { stderr }: Pick<Io, 'stderr'>): Disposable {
  let drawn = '';
  const draw = (): void => {
    const line = `Waiting, ${clockText(until)} left (Ctrl-C stops)`;
    if (line === drawn) return;
    stderr.write(`\r\u001B[K${line}`);
    drawn = line;
  };
  draw();
  const timer = setInterval(draw, REDRAW_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      stderr.write('\r\u001B[K');
    },
  };
}

/** For output that cannot be redrawn: one line a minute. */
export function tellTimeLeft(until: number, { stderr }: Pick<Io, 'stderr'>): Disposable {
  const timer = setInterval(() => {
    const minutes = Math.round((until - Date.now()) / MINUTE_MS);
    if (minutes > 0) stderr.write(`Waiting, ${minutes} minute${minutes === 1 ? '' : 's'} left\n`);
  }, MINUTE_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const REDRAW_MS = 250; // often enough to skip no second
const MINUTE_MS = 60_000;
