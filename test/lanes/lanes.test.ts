import { expect, test } from 'vitest';
import { inside } from '../../src/host/inside.js';
import type { ToolResult } from '../../src/model/tool.js';
import { client, openLanes, startHttp, stdioEntry } from './lane-scene.js';

test('two clients never see each other’s state, nor what the host itself does', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { call, states } = lanes;
  const [ann, ben] = [client('a'), client('b')];
  expect(states()).toEqual([]);
  const told: string[] = [];
  for (const one of [ann.one('1'), ann.one('2'), ben.one('3'), ann.one('4'), undefined, ben.one('5')])
    told.push(await call('count', one));
  expect(told).toEqual(['1', '2', '1', '3', '1', '2']);
  expect(states().map(({ server, owner, status, inFlight }) => [server, owner, status, inFlight])).toEqual([
    ['s', 'a', 'connected', 0],
    ['s', 'b', 'connected', 0],
  ]);
});

test('prompts, resources, completions and tools of one client meet the same state', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { host, call } = lanes;
  const ann = client('a');
  expect(await call('count', ann.one('1'))).toBe('1');
  const prompt = await host.getPrompt({ server: 's', prompt: 'counted', caller: ann.one('2') });
  expect(prompt.ok && prompt.messages[0]?.content['text']).toBe('2');
  const read = await host.readResource({ server: 's', uri: 'count://now', caller: ann.one('3') });
  expect(read.ok && read.contents[0]).toMatchObject({ text: '3' });
  const ref = { type: 'ref/prompt', name: 'counted' } as const;
  const argument = { name: 'what', value: '' };
  const completed = await host.complete({ server: 's', ref, argument, caller: ann.one('4') });
  expect(completed.ok && completed.values).toEqual(['4']);
  const again = await host.complete({ server: 's', ref, argument, caller: ann.one('4') });
  expect(again.ok && again.values).toEqual(['5']);
});

test('a server is told exactly what the client can do, and who it is', async () => {
  await using lanes = await openLanes(stdioEntry());
  const capabilities = { elicitation: {}, sampling: { tools: {} }, roots: { listChanged: true }, odd: { x: 1 } };
  const told = JSON.parse(await lanes.call('told', client('a', { capabilities }).one('1'))) as object;
  expect(told).toMatchObject({
    capabilities: { elicitation: { form: {} }, sampling: { tools: {} }, roots: {} },
    clientInfo: { name: 'plugboard', title: 'Plugboard' },
    _meta: { 'plugboard/client': { name: 'client-a', version: '1' } },
  });
  expect(told).not.toHaveProperty('capabilities.odd');
  expect(told).not.toHaveProperty('capabilities.roots.listChanged');
});

test('lists are read over a connection that declares everything, and open no lane', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { host, call, states } = lanes;
  await host.tools({ definitions: true });
  await host.prompts({ server: 's' });
  expect(states()).toEqual([]);
  expect(JSON.parse(await call('told', undefined))).toMatchObject({
    capabilities: { elicitation: { form: {}, url: {} }, roots: {}, sampling: { tools: {} } },
  });
  expect(JSON.parse(await call('ask', undefined, { input: { method: 'elicitation/create' } }))).toEqual({
    action: 'decline',
  });
  expect(JSON.parse(await call('ask', undefined, { input: { method: 'roots/list' } }))).toEqual({ roots: [] });
  expect(JSON.parse(await call('ask', undefined, { input: { method: 'sampling/createMessage' } }))).toMatchObject({
    error: { code: -1 },
  });
});

test('a client that can do other things has another lane', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { call, states } = lanes;
  expect(await call('count', client('a').one('1'))).toBe('1');
  // The same session, as another object that says the same in another order.
  const same = client('a', { capabilities: { roots: {}, elicitation: { form: {} } } });
  expect(await call('count', same.one('2'))).toBe('2');
  expect(await call('count', client('a', { capabilities: {} }).one('3'))).toBe('1');
  expect(await call('count', client('a', { principal: 'somebody else' }).one('4'))).toBe('1');
  expect(states()).toHaveLength(3);
});

test('what the server asks while the lane opens goes to the call that opens it', async () => {
  await using lanes = await openLanes(stdioEntry('--roots'));
  const ann = client('a');
  await lanes.call('count', ann.one('first'));
  expect(ann.asked).toEqual(['first roots/list']);
});

test.each([
  [
    'a modern server on stdio',
    async () => ({ entry: stdioEntry('--era', 'modern'), [Symbol.asyncDispose]: async () => {} }),
  ],
  ['a modern server over HTTP', () => startHttp('--era', 'modern')],
] as const)('%s has one connection for all clients, and hears of each', async (_, start) => {
  await using server = await start();
  await using lanes = await openLanes(server.entry);
  const { call, states } = lanes;
  const [ann, ben] = [client('a'), client('b', { capabilities: {} })];
  expect(await call('count', ann.one('1'))).toBe('1');
  expect(await call('count', ben.one('2'))).toBe('2');
  const told = await Promise.all([call('told', ann.one('3')), call('told', ben.one('4'), { logLevel: 'info' })]);
  expect(told.map((one) => (JSON.parse(one) as { meta: object }).meta)).toMatchObject([
    { 'plugboard/client': { name: 'client-a' }, 'io.modelcontextprotocol/clientInfo': { name: 'plugboard' } },
    { 'plugboard/client': { name: 'client-b' }, 'io.modelcontextprotocol/logLevel': 'info' },
  ]);
  expect(told[1]).not.toMatch(/roots|elicitation/u);
  expect(states()).toEqual([]);
});

test('closing the owner ends its connections, and nobody else’s', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { host, call, states } = lanes;
  const [ann, ben] = [client('a'), client('b')];
  const [pid] = [Number(await call('pid', ann.one('1'))), await call('count', ben.one('2'))];
  await host[inside].lanes.close('a');
  expect(isGone(pid)).toBe(true);
  expect(states().map(({ owner }) => owner)).toEqual(['b']);
  expect(await call('count', ben.one('3'))).toBe('2');
});

test('a killed process of one client concerns only that client, who is told that the state is gone', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { host, call } = lanes;
  const [ann, ben] = [client('a'), client('b')];
  await call('count', ann.one('1'));
  await call('count', ben.one('2'));
  process.kill(Number(await call('pid', ann.one('3'))), 'SIGKILL');
  const count = (name: string): Promise<ToolResult> =>
    host.call({ name: 'mcp__s__count', input: {}, caller: ann.one(name) });
  let anew = await count('4');
  // Sent before the end of the process was noticed.
  while (anew.outcome === 'unknown') anew = await count('4');
  expect([anew.outcome, anew.isNewLane, anew.content[0]?.['text']]).toEqual(['ok', true, '1']);
  const next = await count('5');
  expect([next.isNewLane, next.content[0]?.['text']]).toEqual([undefined, '2']);
  expect(await call('count', ben.one('6'))).toBe('2');
});

test('a client is refused another connection where all of its connections are in use, and told what helps', async () => {
  await using lanes = await openLanes(stdioEntry(), { lanes: { principalLimit: 2 } });
  const { host, call, states } = lanes;
  const stop = new AbortController();
  const held = [client('a'), client('b')].map((one) =>
    call('hold', one.one('1'), { signal: stop.signal }).catch(() => {}),
  );
  const refused = await host.call({ name: 'mcp__s__count', input: {}, caller: client('c').one('2') });
  expect([refused.outcome, refused.error?.code]).toEqual(['error', 'overloaded']);
  expect(refused.error?.message).toMatch(/"s".*2 connections of this client/u);
  expect(await call('count', client('c', { principal: 'another' }).one('3'))).toBe('1');
  stop.abort();
  await Promise.all(held);
  // One of the idle lanes makes room.
  expect(await call('count', client('d').one('4'))).toBe('1');
  expect(states().filter(({ principal }) => principal === 'someone')).toHaveLength(2);
});

test('an edited entry ends its lanes after their calls, and the next call meets the new server', async () => {
  await using lanes = await openLanes(stdioEntry('--roots'));
  const { scene, call, states } = lanes;
  const ann = client('a');
  const pid = Number(await call('pid', ann.one('1')));
  scene.configure({ s: stdioEntry() });
  await expect.poll(() => states().length, { timeout: 20_000 }).toBe(0);
  await expect.poll(() => isGone(pid), { timeout: 20_000 }).toBe(true);
  expect(await call('count', ann.one('2'))).toBe('1');
});

test('a disabled server has no lanes', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { host, call, states } = lanes;
  const ann = client('a');
  await call('count', ann.one('1'));
  host.disable('s');
  expect(states()).toEqual([]);
  await expect(call('count', ann.one('2'))).rejects.toThrow(/no tool/u);
  host.enable('s');
  await host.settled();
  expect(await call('count', ann.one('3'))).toBe('1');
});

test('log messages go to the call that asked for them, at the level it asked for', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { call } = lanes;
  const ann = client('a');
  await call('log', ann.one('1'), { input: { level: 'error', data: 'unwanted' } });
  await call('log', ann.one('2'), { input: { level: 'info', data: 'wanted' }, logLevel: 'info' });
  await call('log', ann.one('3'), { input: { level: 'info', data: 'too quiet' }, logLevel: 'error' });
  expect(ann.logs.map(({ data }) => data)).toEqual(['wanted']);
  expect(JSON.parse(await call('levels', ann.one('4')))).toEqual(['info', 'error']);
  const ben = client('b', { logLevel: 'notice' });
  await call('log', ben.one('5'), { input: { level: 'warning', data: 'by level of the client' } });
  expect(ben.logs.map(({ data }) => data)).toEqual(['by level of the client']);
  expect(JSON.parse(await call('levels', ben.one('6')))).toEqual(['notice']);
});

test('what a modern server asks is relayed to a caller that answers by itself, for tools, prompts and resources', async () => {
  await using lanes = await openLanes(stdioEntry('--era', 'modern'));
  const { host } = lanes;
  const ann = client('a');
  const more = { caller: ann.one('1'), keepServerResult: true, relay: {}, shape: 'raw' } as const;
  const asked = await host.call({ name: 'mcp__s__ask', input: { method: 'elicitation/create', nonce: 7 }, ...more });
  expect([asked.outcome, asked.content]).toEqual(['ok', []]);
  expect(asked.serverResult?.result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { k: { method: 'elicitation/create' } },
    requestState: 'state of 7',
  });
  const relay = { inputResponses: { k: { action: 'accept' } }, requestState: 'state of 7' };
  const told = await host.call({
    name: 'mcp__s__ask',
    input: { method: 'elicitation/create', nonce: 7 },
    ...more,
    relay,
  });
  expect(JSON.parse(String(told.content[0]?.['text']))).toEqual(relay);
  const prompt = await host.getPrompt({ server: 's', prompt: 'counted', ...more });
  expect([prompt.ok, prompt.serverResult?.result?.['requestState']]).toEqual([true, 'prompt']);
  const got = await host.getPrompt({ server: 's', prompt: 'counted', ...more, relay });
  expect(got.ok && JSON.parse(String(got.messages[0]?.content['text']))).toEqual(relay.inputResponses);
  const resource = await host.readResource({ server: 's', uri: 'count://asked', ...more });
  expect(resource.serverResult?.result?.['resultType']).toBe('input_required');
  // What the client has not declared it is not asked.
  const undeclared = await host.call({ name: 'mcp__s__ask', input: { method: 'sampling/createMessage' }, ...more });
  expect([undeclared.outcome, undeclared.error?.code]).toEqual(['error', 'unsupported']);
  expect(ann.asked).toEqual([]);
});

test('metadata of the client reaches the server, but for what belongs to the connection', async () => {
  for (const era of ['legacy', 'modern']) {
    await using lanes = await openLanes(stdioEntry('--era', era));
    const meta = {
      traceparent: '00-1',
      progressToken: 'own',
      'io.modelcontextprotocol/clientInfo': { name: 'forged' },
    };
    const told = JSON.parse(await lanes.call('told', client('a').one('1'), { meta })) as { meta: object };
    expect(told.meta).toMatchObject({ traceparent: '00-1' });
    expect(JSON.stringify(told.meta)).not.toMatch(/own|forged/u);
  }
});

test('a watched resource is watched on the client’s own connection, until the watch ends', async () => {
  await using lanes = await openLanes(stdioEntry());
  const { host, call } = lanes;
  const [ann, ben] = [client('a'), client('b')];
  const seen: string[] = [];
  const watching = await host.watchResource({ server: 's', uri: 'count://now', caller: ann }, ({ uri }) =>
    seen.push(uri),
  );
  if (!watching.ok) throw watching.error;
  expect(JSON.parse(await call('told', ann.one('1')))).toMatchObject({ watched: ['count://now'] });
  expect(JSON.parse(await call('told', ben.one('2')))).toMatchObject({ watched: [] });
  await call('touch', ann.one('3'));
  await expect.poll(() => seen, { timeout: 20_000 }).toContain('count://now');
  await watching.watch[Symbol.asyncDispose]();
  expect(JSON.parse(await call('told', ann.one('4')))).toMatchObject({ watched: [] });
});

test('an unknown resource is an error with the server’s own code', async () => {
  await using lanes = await openLanes(stdioEntry());
  const read = await lanes.host.readResource({
    server: 's',
    uri: 'count://none',
    caller: client('a').one('1'),
    keepServerResult: true,
  });
  expect([read.ok, read.serverResult?.error?.code]).toEqual([false, -32601]);
});

test('a list that changed for one client is read again over the server’s own connection', async () => {
  await using lanes = await openLanes((home) => ({ ...stdioEntry(), env: { GROWN: `${home}/grown` } }));
  const { host, call, states } = lanes;
  const changed = new Promise<readonly string[]>((resolve) => void host.on('catalog', ({ added }) => resolve(added)));
  await call('grow', client('a').one('1'));
  expect(await changed).toEqual(['grown']);
  expect(states()).toHaveLength(1);
});

test('a tool that runs only as a task is waited for on a lane, and asks the call that began it', async () => {
  await using lanes = await openLanes(stdioEntry());
  const ann = client('a');
  const [told] = await Promise.all([lanes.call('job', ann.one('first')), lanes.call('count', ann.one('second'))]);
  expect(JSON.parse(told)).toEqual({ action: 'accept', content: { by: 'first' } });
});

test('a result that is too large for memory is an error, for a caller that wants no files', async () => {
  await using lanes = await openLanes(stdioEntry());
  const more = { caller: client('a').one('1'), input: { mb: 17 } };
  const refused = await lanes.host.call({ name: 'mcp__s__large', ...more, isInMemory: true, shape: 'raw' });
  expect([refused.outcome, refused.error?.code, refused.saved]).toEqual(['error', 'answer-too-large', []]);
  expect(refused.error?.message).toMatch(/17\.\d* MB|16/u);
  const saved = await lanes.host.call({ name: 'mcp__s__large', ...more, shape: 'raw' });
  expect(saved.saved).toHaveLength(1);
});

test('over HTTP each client has a session, which the server is told the end of', async () => {
  await using server = await startHttp();
  await using lanes = await openLanes(server.entry);
  const { host, call } = lanes;
  const [ann, ben] = [client('a'), client('b')];
  expect([await call('count', ann.one('1')), await call('count', ben.one('2'))]).toEqual(['1', '1']);
  expect(await call('sessions', undefined)).toBe('3');
  await host[inside].lanes.close('a');
  expect(await call('sessions', undefined)).toBe('2');
  expect(await call('count', ben.one('3'))).toBe('2');
});

test('a server that forgets its sessions costs a client its state, of which the next result tells', async () => {
  await using server = await startHttp();
  await using lanes = await openLanes(server.entry);
  const ann = client('a');
  const count = (name: string): Promise<ToolResult> =>
    lanes.host.call({ name: 'mcp__s__count', input: {}, caller: ann.one(name) });
  expect((await count('1')).isNewLane).toBe(undefined);
  await lanes.call('forget', undefined);
  const anew = await count('2');
  expect([anew.isNewLane, anew.content[0]?.['text']]).toEqual([true, '1']);
  expect((await count('3')).isNewLane).toBe(undefined);
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
