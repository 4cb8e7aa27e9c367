import { expect, test } from 'vitest';
import { parseArguments } from '../input/arguments.js';
import type { Io } from '../io.js';
import { replayVerb } from './replay.js';

/** Runs the verb with arguments that it rejects. */
async function check(args: readonly string[], expected: { code: string; message: RegExp }): Promise<void> {
  const parsed = parseArguments(['replay', ...args], [replayVerb]);
  if (parsed.kind !== 'run') throw new Error(`expected a run, got ${parsed.kind}`);
  await expect(replayVerb.run(parsed.invocation, {} as Io)).rejects.toMatchObject({
    code: expected.code,
    message: expect.stringMatching(expected.message),
  });
}

test.each<[words: string, args: readonly string[], code: string, message: RegExp]>([
  ['no file', [], 'usage', /takes a recording and optionally a server's name, got 0 words/u],
  ['too many words', ['a', 'b', 'c'], 'usage', /got 3 words/u],
  ['--json, which would stand among the messages', ['a', '--json'], 'usage', /--json is not for replay/u],
  [
    'a file that is not there, seen from --cwd',
    ['a.jsonl', '--cwd', '/nowhere'],
    'config-unreadable',
    /\/nowhere\/a\.jsonl/u,
  ],
  ['a file that is no recording', [import.meta.filename], 'config-invalid', /is not a recording/u],
])('%s is told before anything is served', (_, args, code, message) => check(args, { code, message }));
