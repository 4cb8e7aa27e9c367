import { expect, test } from 'vitest';
import { controlScene, result } from '../../../test/control-scene.js';
import { failure } from '../../../test/peer-scene.js';

const asking = { subtype: 'can_use_tool', tool_name: 'x' };

test('what this program asks itself is answered between the messages of servers', async () => {
  const { channel, embedder, peer } = controlScene();
  channel.listen();
  const question = channel.question(asking);
  const ping = peer('calc').request('ping');
  const [asked] = await embedder.until(() => (embedder.requests.length === 2 ? embedder.requests : undefined));
  expect(asked).toMatchObject({ type: 'control_request', request: asking });
  const response = { subtype: 'success', request_id: asked!.request_id, response: { behavior: 'allow' } };
  embedder.send({ type: 'control_response', response });
  expect(await question).toEqual({ behavior: 'allow' });
  embedder.answer(embedder.requests[1]!, result(embedder.requests[1]!));
  expect(await ping).toEqual({});
});

test.each([
  [{ subtype: 'error', error: 'not \u001B[31mtoday' }, 'did not answer can_use_tool: not today'],
  [{ subtype: 'error' }, 'did not answer can_use_tool: it gave no reason'],
  [{ subtype: 'success' }, 'says neither success nor error'],
  [{ subtype: 'perhaps', response: {} }, 'says neither success nor error'],
  [{ subtype: 'success', response: 'yes' }, 'says neither success nor error'],
])('%j is no answer', async (response, message) => {
  const { channel, embedder } = controlScene();
  channel.listen();
  const question = failure(channel.question(asking));
  const asked = await embedder.until(() => embedder.requests[0]);
  embedder.send({ type: 'control_response', response: { ...response, request_id: asked.request_id } });
  expect((await question).message).toContain(message);
});

test('an answer that cannot be read is told as that', async () => {
  const { channel, embedder } = controlScene();
  channel.listen();
  const question = failure(channel.question(asking));
  const { request_id: key } = await embedder.until(() => embedder.requests[0]);
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  embedder.raw(
    `{"type":"control_response","response":{"request_id":"${key}","subtype":"success","response":{"x":${deep}}}}\n`,
  );
  expect((await question).message).toContain('its answer cannot be read');
});

test('a question that nobody needs any more is withdrawn, and its late answer harms nothing', async () => {
  const { channel, embedder, notes } = controlScene();
  channel.listen();
  const stop = new AbortController();
  const question = failure(channel.question(asking, stop.signal));
  const { request_id: key } = await embedder.until(() => embedder.requests[0]);
  stop.abort();
  expect((await question).code).toBe('cancelled');
  expect(await embedder.until(() => embedder.others[0])).toEqual({ type: 'control_cancel_request', request_id: key });
  embedder.send({ type: 'control_response', response: { subtype: 'success', request_id: key, response: {} } });
  expect((await failure(channel.question(asking, stop.signal))).code).toBe('cancelled');
  expect([embedder.requests.length, notes]).toEqual([1, []]);
});

test('the end of stdin ends every question, and is told once', async () => {
  const ends: unknown[] = [];
  const { channel, embedder, input } = controlScene({ onEnd: () => ends.push(true) });
  channel.listen();
  const question = failure(channel.question(asking));
  await embedder.until(() => embedder.requests[0]);
  input.end();
  expect((await question).message).toContain('closed its end');
  expect((await failure(channel.question(asking))).code).toBe('connection-closed');
  await channel[Symbol.asyncDispose]();
  expect(ends).toEqual([true]);
});

test('lines of our own are written without anybody being read, and are out when it is flushed', async () => {
  const { channel, embedder, input } = controlScene();
  expect(() => channel.write('{"n":0}')).toThrow('The control channel is not open yet');
  channel.speak();
  channel.write('{"n":1}');
  await channel.flush();
  expect(await embedder.until(() => embedder.others[0])).toEqual({ n: 1 });
  expect(input.listenerCount('data')).toBe(0);
  channel.reply('r1', { response: { a: 1 } });
  channel.reply('r2', { error: 'no' });
  channel.reply(7, { error: 'nobody' });
  expect(await embedder.until(() => (embedder.others.length === 3 ? embedder.others.slice(1) : undefined))).toEqual([
    { type: 'control_response', response: { subtype: 'success', request_id: 'r1', response: { a: 1 } } },
    { type: 'control_response', response: { subtype: 'error', request_id: 'r2', error: 'no' } },
  ]);
});
