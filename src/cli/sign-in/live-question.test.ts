import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askLive } from './live-question.js';

function ask(input: PassThrough): Promise<string> {
  const options = { input: input as never, shownOn: new PassThrough() as never, isDrawn: false };
  return askLive(() => 'Paste it: ', { ...options, signal: new AbortController().signal });
}

test.each<[string, readonly string[], string]>([
  ['a line', ['http://a/b\r'], 'http://a/b'],
  ['a line that comes in pieces', ['http://', 'a/b', '\r'], 'http://a/b'],
  ['a line behind an empty one', ['\nhttp://a/b\r'], 'http://a/b'],
  ['an address that was broken in two', ['http://a/b?code=1\n  &state=2\n'], 'http://a/b?code=1&state=2'],
  ['one whose last part has no end yet', ['http://a/b?code=1\n&state', '=2', '\r'], 'http://a/b?code=1&state=2'],
  ['nothing', ['\r'], ''],
])('%s is taken whole', async (_, pieces, expected) => {
  const input = new PassThrough();
  const asked = ask(input);
  for (const piece of pieces) {
    input.write(piece);
    await new Promise(setImmediate);
  }
  expect(await asked).toBe(expected);
});
