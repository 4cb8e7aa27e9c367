import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { controlScene, result } from '../../../test/control-scene.js';
import { failure } from '../../../test/peer-scene.js';
import { systemClock } from '../../edge/clock.js';
import { Peer } from '../../wire/peer.js';
import { ControlChannel } from './control-channel.js';
import { openSdkPipe } from './sdk-pipe.js';
import { countTurns } from '../../../test/computed.js';

test('the end of stdin ends every server, by name and with the reason, after what came before it', async () => {
  const { embedder, input, peer } = controlScene();
  const [one, two] = [peer('one'), peer('two')];
  const answered = one.request('tools/call');
  const asked = await embedder.asked('tools/call');
  const waiting = failure(two.request('tools/list'));
  embedder.answer(asked, result(asked, { text: 'x'.repeat(5_000_000) }));
  input.end();
  expect(await answered).toHaveProperty('text');
  const { code, message } = await waiting;
  expect([code, message]).toEqual([
    'connection-closed',
    'The connection to server "two" was lost before it answered tools/list: the embedding program closed its end',
  ]);
  expect([(await one.closed).kind, (await two.closed).kind]).toEqual(['lost', 'lost']);
  expect(() => peer('three')).toThrow('Server "three" cannot be reached: the embedding program closed its end');
});

test('a stdin that had ended before is told when the first server is opened', () => {
  const { input, peer } = controlScene();
  input.destroy();
  expect(() => peer('calc')).toThrow('Server "calc" cannot be reached: the embedding program closed its end');
});

test.each([undefined, new Error('EPIPE')])(
  'a stdout that nobody reads any more ends every server (%s)',
  async (cause) => {
    const output = new PassThrough();
    const channel = new ControlChannel({ open: () => ({ input: new PassThrough(), output }), clock: systemClock });
    const pipe = openSdkPipe('calc', channel);
    output.destroy(cause);
    expect(await pipe.closed).toMatchObject({
      kind: 'lost',
      error: { message: 'the embedding program no longer reads' },
    });
    await channel[Symbol.asyncDispose]();
  },
);

test('stdin is left alone until a server is opened, and let go when the channel is closed', async () => {
  const input = new PassThrough();
  let opened = 0;
  const channel = new ControlChannel({
    open: () => (opened++, { input, output: new PassThrough() }),
    clock: systemClock,
  });
  expect([opened, input.listenerCount('data')]).toEqual([0, 0]);
  const pipes = [openSdkPipe('one', channel), openSdkPipe('two', channel)];
  expect([opened, input.listenerCount('data')]).toEqual([1, 1]);
  await channel[Symbol.asyncDispose]();
  await channel[Symbol.asyncDispose]();
  expect(input.destroyed).toBe(true);
  expect(await Promise.all(pipes.map(({ closed }) => closed))).toEqual([{ kind: 'disposed' }, { kind: 'disposed' }]);
  expect(() => openSdkPipe('three', channel)).toThrow('Server "three" cannot be reached: its host is closed');
});

test('lines that are no server message go to whoever else listens, and are otherwise noted a few times', async () => {
  const others: unknown[] = [];
  const listening = controlScene({ onOther: (message) => (others.push(message), true) });
  listening.peer('calc');
  listening.embedder.send({ type: 'user', message: 'hello' });
  listening.embedder.send({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } });
  listening.embedder.say('calc', { jsonrpc: '2.0', method: 'x' });
  await listening.embedder.until(() => listening.embedder.others[0]);
  expect(others).toMatchObject([{ type: 'user' }, { request: { subtype: 'initialize' } }]);
  expect(listening.notes).toEqual([]);

  const alone = controlScene();
  const calc = alone.peer('calc');
  alone.embedder.raw('\n  \r\nhel\u001B[31mlo\n[1,2]\n7\n');
  for (let n = 0; n < 1_000; n++) alone.embedder.send({ type: 'user', n });
  const answer = calc.request('ping');
  const asked = await alone.embedder.asked('ping');
  alone.embedder.answer(asked, result(asked));
  await answer;
  expect(alone.notes.slice(0, 4)).toEqual([
    'hello',
    'JSON without a type',
    'JSON without a type',
    '{"type":"user", ...}',
  ]);
  expect(alone.notes).toHaveLength(20);
});

test('a listener that throws harms nobody', async () => {
  const { embedder, peer } = controlScene({
    onOther: () => {
      throw new Error('mine');
    },
  });
  const answer = peer('calc').request('ping');
  const asked = await embedder.asked('ping');
  embedder.send({ type: 'user' });
  embedder.answer(asked, result(asked));
  expect(await answer).toEqual({});
});

test('a program that writes nothing but nonsense is given up after 16 MB', async () => {
  const { embedder, peer } = controlScene();
  const calc = peer('calc');
  const line = `${'nonsense '.repeat(10_000)}\n`;
  for (let sent = 0; sent <= 16_000_000; sent += line.length) embedder.raw(line);
  expect(await calc.closed).toMatchObject({
    kind: 'lost',
    error: { message: expect.stringContaining('16 MB that are not control messages') },
  });
});

test('a line that is too large is told as that, and what comes after it is heard', async () => {
  const received: unknown[] = [];
  const { embedder, input, peer, notes } = controlScene({ onOther: (message) => received.push(message) > 0 });
  const calc = peer('calc');
  embedder.raw(`{"type":"user","x":"${'y'.repeat(17_000_000)}"}\n`);
  embedder.send({ type: 'user', at: 1 });
  // The last line may lack its line end.
  embedder.raw('{"type":"user","at":2}');
  input.end();
  await calc.closed;
  expect(received).toEqual([
    { type: 'user', at: 1 },
    { type: 'user', at: 2 },
  ]);
  expect(notes).toEqual([expect.stringMatching(/^it has more than 16 MB: \{"type":"user"/u)]);
});

test('half a line at the end of stdin is noted', async () => {
  const { embedder, input, peer, notes } = controlScene();
  const calc = peer('calc');
  embedder.raw('{"type":"us');
  input.end();
  await calc.closed;
  expect(notes).toEqual(['{"type":"us']);
});

test('a program that does not read gets no more than 16 MB to wait for it, and calls beyond that fail by name', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = new ControlChannel({ open: () => ({ input, output }), clock: systemClock });
  const pipe = openSdkPipe('calc', channel);
  const calc = new Peer(pipe, { name: 'calc', clock: systemClock });
  const text = 'x'.repeat(9_000_000);
  const waiting = [failure(calc.request('tools/call', { text })), failure(calc.request('tools/call', { text }))];
  const { code, message } = await failure(calc.request('tools/call'));
  expect([code, message]).toEqual(['overloaded', 'Server "calc" does not read its input: 18 MB are waiting']);
  expect(pipe.backlog).toBeGreaterThan(18_000_000);
  output.resume();
  await channel[Symbol.asyncDispose]();
  expect((await Promise.all(waiting)).map((error) => error.code)).toEqual(['connection-closed', 'connection-closed']);
});

test('closing one server leaves the others, and the same name can be opened again', async () => {
  const { embedder, peer } = controlScene();
  const [old, other] = [peer('calc'), peer('other')];
  const gone = failure(old.request('tools/call'));
  await old[Symbol.asyncDispose]();
  expect((await gone).message).toBe('The connection to server "calc" was closed before it answered tools/call');
  const again = peer('calc');
  const answers = [again.request('ping'), other.request('ping')];
  await embedder.asked('ping', 2);
  for (const asked of embedder.requests) embedder.answer(asked, result(asked));
  expect(await Promise.all(answers)).toEqual([{}, {}]);
});

test('a flood of messages from one server delays nobody, and every one is counted', async () => {
  const { embedder, peer } = controlScene();
  let received = 0;
  const calc = peer('calc', { onNotification: () => void received++ });
  const note = JSON.stringify({
    type: 'control_request',
    request_id: 'n',
    request: { subtype: 'mcp_message', server_name: 'calc', message: { jsonrpc: '2.0', method: 'x' } },
  });
  embedder.raw(`${note}\n`.repeat(2_000));
  using turns = countTurns();
  const answer = calc.request('ping');
  const asked = await embedder.asked('ping');
  embedder.answer(asked, result(asked));
  await answer;
  expect(received).toBe(2_000);
  expect(turns.count).toBeGreaterThan(3);
});
