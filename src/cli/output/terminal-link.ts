import type { Io } from '../io.js';
import { isPlain } from './style.js';

type LinkIo = Pick<Io, 'env' | 'stderr' | 'isPlain'>;

/**
 * A clickable address (OSC 8) where the terminal is known to support it, readable everywhere. Without OSC 8, an address
 * that the terminal wraps would be clickable only in part.
 */
export function linkTo(url: string, io: LinkIo): string {
  return canLink(io) ? `\u001B]8;;${url}\u0007${url}\u001B]8;;\u0007` : url;
}

/** Sets the clipboard of the user's terminal (OSC 52), also through SSH. The terminal sends no confirmation. */
export function copyToClipboard(text: string, { stderr }: { readonly stderr: Pick<Io['stderr'], 'write'> }): void {
  stderr.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
}

function canLink(io: LinkIo): boolean {
  const { env, stderr } = io;
  if (!stderr.isTerminal || isPlain(io)) return false;
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined) return forced !== '0';
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION = '' } = env;
  // Multiplexers sit between Plugboard and the terminal; older ones print sequences that they do not know.
  if ((env['TMUX'] ?? '') !== '' || /^(?:screen|tmux)/u.test(TERM)) return false;
  if (LINKING.has(TERM_PROGRAM) || /^xterm-(?:kitty|ghostty)$|^(?:alacritty|foot)/u.test(TERM)) return true;
  return Number(VTE_VERSION) >= 5000 || ['WT_SESSION', 'KONSOLE_VERSION'].some((name) => (env[name] ?? '') !== '');
}

const LINKING: ReadonlySet<string> = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby']);
