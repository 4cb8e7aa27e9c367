import { toProgramError } from '../fail.js';
import { openRunControl } from '../start/run-control.js';
import type { Outcome } from '../verb.js';
import type { PromptRun } from './prompt-run.js';
import { StreamRun } from './stream-run.js';
import { usageError } from '../input/usage-error.js';

/** `--input-format stream-json`: the parent program sends turns on stdin, as many as it likes. */
export async function runStream(run: PromptRun): Promise<Outcome> {
  const { invocation, io, notes } = run;
  if (io.stdin.isTerminal || !io.openControl) {
    throw usageError('--input-format stream-json is for programs, and stdin is a terminal', {
      hint: 'Pipe lines of JSON to stdin, or leave the flag out',
    });
  }
  const conversation: { run?: StreamRun } = {};
  await using control = await openRunControl(invocation, io, notes, {
    onOther: (message) => conversation.run?.take(message) === true,
    onWarning: (line) => conversation.run?.refuseLine(line),
    onEnd: () => conversation.run?.end(),
  });
  const own = (conversation.run = new StreamRun(run, control));
  try {
    const exitCode = await own.start();
    if (!invocation.has('quiet')) for (const note of notes.splice(0)) io.stderr.write(`${note}\n`);
    return { data: {}, text: '', isStreamed: true, exitCode };
  } catch (cause) {
    own.fail(toProgramError(cause));
    throw cause;
  }
}
