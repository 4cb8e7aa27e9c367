import { envelope } from './envelope.js';
import { screenColumns } from './style.js';
import { wrapHint } from './wrap.js';
import type { Outcome, ProgramRun } from '../verb.js';

/** Writes a verb's result to stdout and its notes to stderr. */
export function writeOutcome({ data, text, notes = [] }: Outcome, { invocation, io }: ProgramRun): void {
  if (invocation.has('json')) io.stdout.write(envelope({ ok: true, data }));
  else if (text !== '') io.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  if (!invocation.has('quiet')) {
    const columns = screenColumns(io.stderr);
    for (const note of notes) io.stderr.write(`${wrapHint(note, columns, 2).join('\n')}\n`);
  }
}
