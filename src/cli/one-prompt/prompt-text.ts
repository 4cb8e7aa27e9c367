import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { usageError } from '../input/usage-error.js';
import type { ProgramRun } from '../verb.js';

export interface PromptTextOptions extends ProgramRun {
  readonly notes: string[];
  readonly signal: AbortSignal;
  /** The name of a server that the parent program serves over stdin. */
  readonly talksOnStdin: string | undefined;
}

/** A prompt: the words of the command line, typed by the user, then the text from stdin, which may be anyone's. */
export interface PromptText {
  readonly words: string;
  readonly piped: string;
}

/** Reads the words after -p, stdin, or both. Rejects with a HostError. */
export async function readPromptText(options: PromptTextOptions): Promise<PromptText> {
  const words = options.invocation.positionals.join(' ').trim();
  const piped = (await readPiped(words, options)).trim();
  if (words !== '' || piped !== '') return { words, piped };
  throw usageError('-p needs a prompt, and there is none', {
    hint: 'plugboard -p "..." or: echo "..." | plugboard -p',
  });
}

async function readPiped(words: string, { io, notes, signal, talksOnStdin }: PromptTextOptions): Promise<string> {
  const { stdin } = io;
  if (stdin.isTerminal) return '';
  if (talksOnStdin !== undefined) {
    if (words !== '') return '';
    throw usageError(`server "${talksOnStdin}" uses stdin: write the prompt after -p`, {
      hint: 'plugboard -p "..."',
    });
  }
  const read = words === '' || !stdin.readUnlessSilent ? stdin.read() : stdin.readUnlessSilent(SILENT_MS);
  const text = await within(read, {
    signal,
    instead: () => new HostError('cancelled', 'Interrupted while stdin was read'),
  });
  if (text instanceof HostError) throw text;
  // Many programs start others with a stdin that they never write to.
  if (text === undefined)
    notes.push(`note: nothing came on stdin within ${SILENT_MS / 1000} s; add < /dev/null to skip this wait`);
  return text ?? '';
}

const SILENT_MS = 3_000;
