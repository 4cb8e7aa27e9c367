import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eraCache } from '../../src/connection/era-cache.js';
import { meet } from './meeting.js';
import { type StdioCase, stdioCases } from './stdio-cases.js';
import { openJournals } from './stdio-server.js';

const journals = openJournals();
afterAll(() => journals[Symbol.dispose]());

const HANDSHAKE = ['initialize', 'notifications/initialized'];

test.concurrent('a server that ignores what it does not know is waited for once', async () => {
  const server = journals.open('silent');
  const memory = eraCache(join(journals.folder, 'silent'))('hash');
  const first = await meet(server.config, { memory, silences: 1 });
  const second = await meet(server.config, { memory });
  expect([first.meeting, second.meeting]).toMatchObject([{ era: 'legacy' }, { era: 'legacy' }]);
  expect(server.asked()).toEqual([['server/discover', ...HANDSHAKE], HANDSHAKE]);
});

test.concurrent('a server that exits when it is asked first is asked once, and greeted at once from then on', async () => {
  const server = journals.open('exits-like-rust');
  const memory = eraCache(join(journals.folder, 'rust'));
  const meetings = [
    await meet(server.config, { memory: memory('hash') }),
    await meet(server.config, { memory: memory('hash') }),
  ];
  expect(meetings.map(({ meeting }) => meeting)).toMatchObject([{ era: 'legacy' }, { era: 'legacy' }]);
  expect(server.asked()).toEqual([['server/discover'], HANDSHAKE, HANDSHAKE]);
});

test.concurrent('a server that has learned the new era since is found out', async () => {
  const before = journals.open('method-not-found');
  const after = journals.open('new');
  const memory = eraCache(join(journals.folder, 'learned'))('hash');
  await meet(before.config, { memory });
  const [updated, known] = [await meet(after.config, { memory }), await meet(after.config, { memory })];
  expect([updated.meeting, known.meeting]).toMatchObject([{ era: 'modern' }, { era: 'modern' }]);
  expect(after.asked()).toEqual([['initialize', 'server/discover'], ['server/discover']]);
});

for (const one of stdioCases) {
  const verb = 'code' in one.expected ? 'says what is wrong with' : 'works with';
  test(`Plugboard ${verb} a server that ${one.that}`, { concurrent: true }, () => checkCase(one));
}

async function checkCase({ habit, expected, asked, era, silences, ...also }: StdioCase): Promise<void> {
  const server = journals.open(habit, { era });
  const seen = await meet(server.config, { silences });
  const { notes = [], notifications = [] } = also;
  expect({ ...seen.meeting, asked: server.asked() }).toMatchObject({ ...toMeeting(expected), asked });
  expect(notes === 'any' ? notes : seen.notes).toEqual(notes);
  expect(seen.notifications).toEqual(notifications);
}

function toMeeting(expected: StdioCase['expected']): object {
  if (!('code' in expected)) return { tools: ['echo'], said: 'the same', ...expected };
  return { ...expected, message: expect.stringMatching(expected.message) };
}
