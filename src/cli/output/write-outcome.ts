import { envelope } from './envelope.js';
import type { Outcome, ProgramRun } from '../verb.js';

/** What a verb answers, on stdout; what to know beside it, on stderr. */
export function writeOutcome({ data, text, notes = [] }: Outcome, { invocation, io }: ProgramRun): void {
  if (invocation.has('json')) io.stdout.write(envelope({ ok: true, data }));
  else if (text !== '') io.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  if (!invocation.has('quiet')) for (const note of notes) io.stderr.write(`${note}\n`);
}
