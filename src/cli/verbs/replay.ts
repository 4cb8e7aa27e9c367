import { resolve } from 'node:path';
import type { Verb } from '../verb.js';
import { usageError } from '../input/usage-error.js';

export const replayVerb: Verb = {
  name: 'replay',
  usage: 'FILE [SERVER]',
  summary: 'Run a server that --record has recorded, on stdin and stdout',
  examples: [
    'plugboard tools -- plugboard replay run.jsonl',
    'plugboard add broken -- plugboard replay run.jsonl github',
  ],
  async run(invocation) {
    const [file, server, ...more] = invocation.positionals;
    if (file === undefined || more.length > 0) {
      const count = invocation.positionals.length;
      throw usageError(`replay takes a recording and optionally a server's name, got ${count} words`, {
        hint: `plugboard replay ${replayVerb.usage}`,
      });
    }
    // A stdio server may write nothing but the protocol to stdout.
    if (invocation.has('json')) {
      throw usageError('--json is not for replay, which speaks on stdin and stdout', {
        hint: `plugboard replay ${replayVerb.usage}`,
      });
    }
    const { readRecording, serveReplay } = await import('../../testing/index.js');
    const recording = await readRecording(resolve(invocation.value('cwd') ?? '.', file));
    return { data: {}, text: '', exitCode: await serveReplay(recording, process, { server }) };
  },
};
