import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { digest } from '../edge/files/digest.js';
import { type PinnedDefinition, toPin } from '../model/pins/pinned-text.js';
import { type Definitions, keepAccepted, readAccepted } from './accepted-definitions.js';

function openState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-pins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'state');
}

function definitions(...texts: readonly string[]): Definitions {
  return new Map(
    texts.map((instructions): [string, PinnedDefinition] => {
      return [toPin({ instructions }, digest), { instructions }];
    }),
  );
}
const textsOf = (found: Definitions): unknown[] => [...found.values()].map((one) => Object.values(one)[0]);
const fileIn = (state: string): string => join(state, 'pins', readdirSync(join(state, 'pins'))[0]!);

test('what was accepted last comes first, what was before stays, and nobody else can read it', async () => {
  const state = openState();
  await keepAccepted(state, 'db', definitions('one', 'two'));
  await keepAccepted(state, 'db', definitions('three', 'one'));
  await keepAccepted(state, 'other', definitions('x'));
  expect(textsOf(readAccepted(state, 'db'))).toEqual(['three', 'one', 'two']);
  expect([statSync(fileIn(state)).mode & 0o777, statSync(join(state, 'pins')).mode & 0o777]).toEqual([0o600, 0o700]);
});

const large = (letter: string): string => letter.repeat(12_000_000);

test('of more than there is room for the oldest are forgotten', async () => {
  const state = openState();
  await keepAccepted(state, 'db', definitions(large('a')));
  await keepAccepted(state, 'db', definitions(large('b')));
  await keepAccepted(state, 'db', definitions(large('c')));
  expect(textsOf(readAccepted(state, 'db')).map((text) => String(text)[0])).toEqual(['c', 'b']);
});

test.each<[string, (state: string) => unknown]>([
  ['no such folder', () => undefined],
  ['half a file', (state) => writeFileSync(fileIn(state), readFileSync(fileIn(state)).subarray(0, 50))],
  [
    'a text that was exchanged',
    (state) => writeFileSync(fileIn(state), readFileSync(fileIn(state), 'utf8').replace('one', 'two')),
  ],
  ['something else', (state) => writeFileSync(fileIn(state), '{"sha256-x":{"tool":1,"prompt":2},"y":null}')],
  [
    'a link',
    (state) => {
      const file = fileIn(state);
      writeFileSync(`${file}.elsewhere`, readFileSync(file));
      rmSync(file);
      symlinkSync(`${file}.elsewhere`, file);
    },
  ],
])('with %s nothing counts as accepted', async (what, harm) => {
  const state = openState();
  if (what !== 'no such folder') await keepAccepted(state, 'db', definitions('one'));
  harm(state);
  expect(textsOf(readAccepted(state, 'db'))).toEqual([]);
});

test('a state folder that cannot be written, or that nobody knows, stops nobody', async () => {
  const state = openState();
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'pins'), '');
  await keepAccepted(state, 'db', definitions('one'));
  await keepAccepted(undefined, 'db', definitions('one'));
  expect([readAccepted(state, 'db').size, readAccepted(undefined, 'db').size]).toEqual([0, 0]);
});
