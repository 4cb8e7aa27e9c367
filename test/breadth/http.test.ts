import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import type { CachedEra, DetectedEra } from '../../src/connection/era-cache.js';
import { httpAnswers } from './http/http-answers.js';
import { httpSse } from './http/http-sse.js';
import { openRawHttpServer } from './http/raw-http-server.js';
import { forgetful, type HttpCase, httpCases } from './http-cases.js';
import { meet } from './meeting.js';

for (const one of httpCases) {
  const verb = 'code' in one.expected ? 'says what is wrong with' : 'works with';
  test(`Plugboard ${verb} a server that ${one.that}`, { concurrent: true }, () => checkCase(one));
}

async function checkCase({ habit, expected, asked, silences, timeoutMs, notifications = [] }: HttpCase): Promise<void> {
  await using server = await openRawHttpServer(habit);
  const seen = await meet({ type: 'http', url: server.url, headers: {} }, { timeoutMs, silences });
  const posted = server.asked.filter((what) => what !== 'GET' && what !== 'DELETE');
  expect({ ...seen.meeting, asked: posted }).toMatchObject({ ...toMeeting(expected), asked });
  expect(seen.notifications).toEqual(notifications);
}

function toMeeting(expected: HttpCase['expected']): object {
  if (!('code' in expected)) return { tools: ['echo'], said: 'the same', ...expected };
  return { ...expected, message: expect.stringMatching(expected.message) };
}

test.concurrent.for(forgetful)(
  'a session that is forgotten with %s is opened anew, once, and no call is lost or made twice',
  async ([, habit]) => {
    await using server = await openRawHttpServer(habit);
    const texts = Array.from({ length: 5 }, (_, index) => `again ${index}`);
    const answers: unknown[] = [];
    const seen = await meet(
      { type: 'http', url: server.url, headers: {} },
      {
        async also(connection) {
          for (const { content } of await Promise.all(
            texts.map((text) => callTool(connection, { tool: 'echo', input: { text } }, { timeoutMs: 300_000 })),
          ))
            answers.push(content[0]?.['text']);
        },
      },
    );
    expect(seen.meeting).toMatchObject({ era: 'legacy', said: 'the same' });
    expect(answers).toEqual(texts);
    expect(server.asked.filter((what) => what === 'initialize')).toHaveLength(2);
    expect(server.echoed.slice(1).map(String).toSorted()).toEqual(texts);
  },
);

test('the way that led to a server of the oldest kind is remembered', async () => {
  await using server = await openRawHttpServer(httpSse['sse-behind-405']);
  const memory = noteInMemory();
  const config = { type: 'http', url: server.url, headers: {} } as const;
  const first = await meet(config, { memory });
  server.asked.length = 0;
  const second = await meet(config, { memory });
  expect([first.meeting, second.meeting]).toMatchObject([{ version: '2024-11-05' }, { version: '2024-11-05' }]);
  expect(server.asked).toEqual(['GET', 'initialize', 'notifications/initialized']);
});

test('a server that was of the oldest kind and is no more is found out', async () => {
  await using server = await openRawHttpServer(httpAnswers.stateless);
  const memory = noteInMemory({ era: 'legacy', isFallback: true });
  const { meeting } = await meet({ type: 'http', url: server.url, headers: {} }, { memory });
  expect(meeting).toMatchObject({ era: 'legacy', version: '2025-06-18', said: 'the same' });
  expect(memory.get()).toEqual({ era: 'legacy', isFallback: false });
});

function noteInMemory(verdict?: DetectedEra): CachedEra {
  let kept = verdict;
  return {
    get: () => kept,
    async set(next) {
      kept = next;
    },
    async delete() {
      kept = undefined;
    },
  };
}
