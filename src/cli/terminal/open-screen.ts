import { styleFor, type StyleOptions } from '../output/style.js';
import { DrawnScreen } from './drawn-screen.js';
import { PlainScreen } from './plain-screen.js';
import type { Screen, TerminalStreams } from './screen.js';

export interface OpenScreenOptions extends StyleOptions {
  /** Nobody sits at the terminal any more; whatever was asked has been left by then. Without it, SIGHUP ends the process. */
  readonly onHangup?: () => void;
}

/** The terminal, for one run of the program. Dispose of it before something else reads from it. */
export function openScreen({ input, output }: TerminalStreams, { env, noColor, onHangup }: OpenScreenOptions): Screen {
  const shown = { isTerminal: output.isTTY, columns: output.columns, write: () => {} };
  const style = styleFor(shown, { env, noColor });
  const isDrawable = output.isTTY && input.isTTY && env['TERM'] !== 'dumb';
  if (!isDrawable) return new PlainScreen({ input, output, style, onHangup, leave });
  return new DrawnScreen({ input, output, style, isReflowing: isReflowing(env), onHangup, leave });
}

/** Those that cut rows off instead say so; all others of today break them anew when the window gets narrower. */
function isReflowing(env: StyleOptions['env']): boolean {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  if (has('TMUX')) return true;
  return !has('XTERM_VERSION') && !has('STY') && !/^(?:linux|st(?:-|$)|screen)/u.test(env['TERM'] ?? '');
}

function leave(): never {
  process.exit(INTERRUPTED);
}

const INTERRUPTED = 130; // as a shell has it for Ctrl-C
