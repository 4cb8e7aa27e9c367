import { parseUrl } from '../../base/parse-url.js';
import { COMPLETED, type Elicitation, type ElicitationReply } from '../../model/hooks/hook-call.js';
import { copyToClipboard } from '../output/terminal-link.js';
import type { DialogParts } from './form-dialog.js';
import { elicitationRows } from './frame.js';

export interface UrlDialogParts extends DialogParts {
  /** Opens a page in the browser; false when there is no browser. Contract: never rejects. */
  readonly open: (url: string) => Promise<boolean>;
  /** Whether the terminal understands OSC 52, which sets the clipboard; a dumb one would print the sequence. */
  readonly canCopy: boolean;
  /** Called when the user agrees to the page: only then may the server's completion notification end the dialog. */
  readonly agreed: () => void;
}

/**
 * Asks the user to visit a page of the server's, and opens it only after a yes. Rejects with `cancelled` when the user
 * leaves or the signal aborts. After the yes, an abort with `COMPLETED` (the server's notification) means accept.
 */
export async function askVisit(question: Elicitation, parts: UrlDialogParts): Promise<ElicitationReply> {
  const { io, look, signal, open, agreed } = parts;
  const url = question.url ?? '';
  const write = (...lines: readonly string[]): void => io.stderr.write(`${lines.join('\n')}\n`);
  write(...elicitationRows(question, 'wants you to visit a page', look));
  write('The page:', url, `Its host: ${parseUrl(url)?.host ?? '?'}`);
  try {
    const choice = await choose(parts);
    if (choice === 'no') return { action: 'decline' };
    if (choice === 'cancel') return { action: 'cancel' };
    agreed();
    if (choice === 'copy') {
      copyToClipboard(url, io);
      write('The address is on the clipboard, if your terminal allows that.');
    } else if (await open(url)) write('The page is open in your browser.');
    else write('Plugboard could not open a browser here. Open the page yourself, on any machine.');
    if (question.wants !== 'completion') {
      write('The server continues by itself when you are done there. Ctrl-C cancels the call.');
      return { action: 'accept' };
    }
    const word = (await io.stdin.ask('Enter = I am done, c = cancel: ', signal)).trim().toLowerCase();
    return { action: ['c', 'cancel', ':cancel'].includes(word) ? 'cancel' : 'accept' };
  } catch (cause) {
    if (signal.reason !== COMPLETED) throw cause;
    write('The server says that you are done.');
    return { action: 'accept' };
  }
}

async function choose({ io, signal, canCopy }: UrlDialogParts): Promise<'open' | 'copy' | 'no' | 'cancel'> {
  for (;;) {
    const copy = canCopy ? ' [c]opy only,' : '';
    const typed = await io.stdin.ask(`Open the page in the browser? [y]es,${copy} [n]o (decline): `, signal);
    const word = typed.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return 'open';
    if (canCopy && (word === 'c' || word === 'copy')) return 'copy';
    if (word === 'n' || word === 'no' || word === ':decline') return 'no';
    if (word === ':cancel') return 'cancel';
    io.stderr.write(`y opens the page,${canCopy ? ' c only copies the address,' : ''} n declines, Ctrl-C leaves\n`);
  }
}
