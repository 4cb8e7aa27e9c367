import type { Clock } from '../../model/clock.js';
import { isPlain, styleFor, type StyleOptions } from '../output/style.js';
import { DrawnScreen } from './drawn-screen.js';
import { PlainScreen } from './plain-screen.js';
import type { Screen, TerminalStreams } from './screen.js';

export interface OpenScreenOptions extends StyleOptions {
  /** Called when the terminal hangs up; open questions are rejected before. Without it SIGHUP ends the process. */
  readonly onHangup?: () => void;
  /** For tests: the clock of the query for images. */
  readonly clock?: Pick<Clock, 'after'> | undefined;
}

/** Opens the terminal for one run. Dispose of the screen before something else reads from the terminal. */
export function openScreen({ input, output }: TerminalStreams, options: OpenScreenOptions): Screen {
  const { env, onHangup, clock } = options;
  const shown = { isTerminal: output.isTTY, columns: output.columns, write: () => {} };
  const style = styleFor(shown, options);
  const isDrawable = output.isTTY && input.isTTY && !isPlain(options);
  if (!isDrawable) return new PlainScreen({ input, output, style, onHangup, leave });
  return new DrawnScreen({ input, output, style, isReflowing: isReflowing(env), onHangup, leave, env, clock });
}

/** Whether the terminal reflows rows when it gets narrower. All current ones do but those listed here, which cut. */
function isReflowing(env: StyleOptions['env']): boolean {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  if (has('TMUX')) return true;
  return !has('XTERM_VERSION') && !has('STY') && !/^(?:linux|st(?:-|$)|screen)/u.test(env['TERM'] ?? '');
}

function leave(): never {
  process.exit(INTERRUPTED);
}

const INTERRUPTED = 130; // 128 + SIGINT, as in a shell
