import { parseUrl } from '../../base/parse-url.js';
import { COMPLETED, type Elicitation, type ElicitationReply } from '../../model/hooks/hook-call.js';
import { copyToClipboard } from '../output/terminal-link.js';
import type { DialogParts } from './form-dialog.js';
import { frameQuestion } from './frame.js';

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
  const { io, signal, open, agreed } = parts;
  const url = question.url ?? '';
  const write = (...lines: readonly string[]): void => io.stderr.write(`${lines.join('\n')}\n`);
  write(...frameQuestion(question, 'wants you to visit a page', io.stderr));
  write('The page:', url, `Its host: ${parseUrl(url)?.host ?? '?'}`);
  try {
    const choice = await choose(parts);
    if (choice === 'no') return { action: 'decline' };
    if (choice === 'cancel') return { action: 'cancel' };
    agreed();
    if (choice === 'copy') {
      copyToClipboard(url, io);
      write('It is on the clipboard, if your terminal allows that.');
    } else if (await open(url)) write('It is open in your browser.');
    else write('No browser could be opened here. Open the page yourself, on any machine.');
    if (question.wants !== 'completion') {
      write('The server goes on by itself when you are done there. Ctrl-C gives the call up.');
      return { action: 'accept' };
    }
    const word = (await io.stdin.ask('Enter = I am done, c = cancel: ', signal)).trim().toLowerCase();
    return { action: ['c', 'cancel', ':cancel'].includes(word) ? 'cancel' : 'accept' };
  } catch (cause) {
    if (signal.reason !== COMPLETED) throw cause;
    write('The server says that it is done.');
    return { action: 'accept' };
  }
}

async function choose({ io, signal, canCopy }: UrlDialogParts): Promise<'open' | 'copy' | 'no' | 'cancel'> {
  for (;;) {
    const copy = canCopy ? ' [c]opy only,' : '';
    const typed = await io.stdin.ask(`Open it in the browser? [y]es,${copy} [n]o (decline): `, signal);
    const word = typed.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return 'open';
    if (canCopy && (word === 'c' || word === 'copy')) return 'copy';
    if (word === 'n' || word === 'no' || word === ':decline') return 'no';
    if (word === ':cancel') return 'cancel';
    io.stderr.write(`y opens it,${canCopy ? ' c only copies the address,' : ''} n declines, Ctrl-C leaves\n`);
  }
}
