import type { Io } from '../io.js';

/**
 * An address that can be clicked where the terminal is known to understand it (OSC 8), all of it to be read everywhere. A terminal that
 * breaks a long line in two would otherwise lead to half of the address.
 */
export function linkTo(url: string, io: Pick<Io, 'env' | 'stderr'>): string {
  return canLink(io) ? `\u001B]8;;${url}\u0007${url}\u001B]8;;\u0007` : url;
}

/** Has the terminal put a text on the clipboard of whoever sits at it, through SSH as well (OSC 52). Nobody hears whether it did. */
export function copyToClipboard(text: string, { stderr }: Pick<Io, 'stderr'>): void {
  stderr.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
}

function canLink({ env, stderr }: Pick<Io, 'env' | 'stderr'>): boolean {
  if (!stderr.isTerminal || env['TERM'] === 'dumb') return false;
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined) return forced !== '0';
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION = '' } = env;
  // Between us and the terminal: older ones show what they do not know.
  if ((env['TMUX'] ?? '') !== '' || /^(?:screen|tmux)/u.test(TERM)) return false;
  if (LINKING.has(TERM_PROGRAM) || /^xterm-(?:kitty|ghostty)$|^(?:alacritty|foot)/u.test(TERM)) return true;
  return Number(VTE_VERSION) >= 5000 || ['WT_SESSION', 'KONSOLE_VERSION'].some((name) => (env[name] ?? '') !== '');
}

const LINKING: ReadonlySet<string> = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby']);
