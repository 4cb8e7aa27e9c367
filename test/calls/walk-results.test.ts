import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ToolRequest } from '../../src/host/host-options.js';
import { ASKING, openWalk, textOf } from './walk-scene.js';

// The second half of the walk "tool_use to result": what a model sees of a result, and how it finds tools.

describe('what comes back', () => {
  test('a large text is in a file, and Read goes on where the beginning ends', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['large']) });
    const host = await scene.settle();
    const result = await host.call({ name: 'mcp__desk__large' });
    expect(result).toMatchObject({ outcome: 'ok', saved: [{ mimeType: 'text/plain' }] });
    const told = textOf(result);
    expect(told.length).toBeLessThan(5_000);
    const advice = JSON.parse(/call Read with (\{.*\})\./u.exec(told)![1]!) as { path: string; offset: number };
    expect(advice.path).toBe(result.saved[0]!.path);
    const more = await host.call({ name: 'Read', input: advice });
    expect(more).toMatchObject({ outcome: 'ok', server: undefined });
    expect(textOf(more)).toContain(`line ${advice.offset} of a long report`);
    const outside = join(scene.home, 'outside.txt');
    writeFileSync(outside, 'not for models');
    const refused = await host.call({ name: 'Read', input: { path: outside } });
    expect(refused.outcome).toBe('error');
    expect(textOf(refused)).not.toContain('not for models');
  });

  test('a picture that is too large for a model is shrunk, and the scale is told', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['picture']) });
    const host = await scene.settle();
    const { content, saved } = await host.call({ name: 'mcp__desk__picture' });
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/3000x2000 shown at \d+x\d+, multiply coordinates by/u) },
      { type: 'image', mimeType: expect.stringMatching(/^image\//u) },
    ]);
    expect(saved).toMatchObject([{ mimeType: 'image/png' }]);
  });

  test('structured content that the text has said already is not said twice', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['forecast']) });
    const host = await scene.settle();
    const result = await host.call({ name: 'mcp__desk__forecast' });
    expect(textOf(result).match(/Oslo/gu)).toHaveLength(1);
    expect(result.structuredContent).toEqual({ city: 'Oslo', degrees: [3, 4, 5] });
  });

  test('resources are listed and read by tools like any other', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) });
    const host = await scene.settle({ permissions: ASKING });
    expect(textOf(await host.call({ name: 'ListMcpResources', input: {} }))).toContain('walk://map');
    const read = await host.call({ name: 'ReadMcpResource', input: { server: 'desk', uri: 'walk://map' } });
    expect(textOf(read)).toContain('left, then right');
    const wrong = await host.call({ name: 'ReadMcpResource', input: { server: 'dessk', uri: 'walk://map' } });
    expect(wrong).toMatchObject({ outcome: 'error', error: { hint: expect.stringContaining('desk') } });
  });

  test('progress reaches who made the call', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['stroll']) });
    const host = await scene.settle();
    const seen: unknown[] = [];
    await host.call({ name: 'mcp__desk__stroll', onProgress: ({ progress, total }) => seen.push([progress, total]) });
    expect(seen).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  test('a call that is given up is cancelled at the server, and its outcome is not guessed', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) });
    const host = await scene.settle();
    const giving = new AbortController();
    const called = host.call({ name: 'mcp__desk__append', input: { key: 'a', ms: 60_000 }, signal: giving.signal });
    await host.call({ name: 'mcp__desk__append', input: { key: 'b' } });
    giving.abort();
    const result = await called;
    expect(result).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    await host.call({ name: 'mcp__desk__append', input: { key: 'c' } });
    expect(scene.journalLines()).toContain('cancelled');
    const never = await host.call({ name: 'mcp__desk__append', input: { key: 'd' }, signal: giving.signal });
    expect(never).toMatchObject({ error: { code: 'cancelled' } });
    expect(scene.journalLines()).not.toContain('begin append d');
  });
});

describe('tools that are looked for', () => {
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const weather = { name: 'weather', description: 'Tells what the weather will be', inputSchema };

  test('ToolSearch finds one, and CallMcpTool calls it as if it had been called itself', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking([weather, 'append']) });
    const host = await scene.settle();
    const found = await host.call({ name: 'ToolSearch', input: { query: 'weather tomorrow' } });
    expect(textOf(found)).toContain('mcp__desk__weather');
    expect(found.structuredContent).toMatchObject({ matches: ['mcp__desk__weather'] });
    const input = { name: 'mcp__desk__weather', arguments: { city: 'Oslo' } };
    const called = await host.call({ name: 'CallMcpTool', input });
    expect(called).toMatchObject({ name: 'mcp__desk__weather', server: 'desk', outcome: 'ok' });
    expect(textOf(called)).toBe('weather {"city":"Oslo"}');
    expect((await scene.ledgerOf(host)).map(({ tool }) => tool)).toEqual(['ToolSearch', 'mcp__desk__weather']);
  });

  test('ToolSearch shows a definition as a block would have it, and none that no block would', async () => {
    const tag = String.fromCodePoint(0xe0041);
    const hiding = { ...weather, name: 'climate', inputSchema: { type: 'object', properties: { [`city${tag}`]: {} } } };
    const odd = {
      ...weather,
      inputSchema: { type: 'object', properties: { city: { type: 'STRING', pattern: '([' } } },
    };
    await using scene = openWalk();
    scene.configure({ desk: scene.walking([odd, hiding]) });
    const host = await scene.settle();
    const found = await host.call({ name: 'ToolSearch', input: { query: 'weather' } });
    expect(found.structuredContent).toMatchObject({ matches: ['mcp__desk__weather'] });
    expect(textOf(found)).toContain('"properties":{"city":{"type":"string"}}');
    expect(textOf(found)).toContain('mcp__desk__climate cannot be used: Its schema hides characters');
    const { tools } = host.forModel('anthropic');
    expect(JSON.stringify(tools)).not.toContain('([');
  });

  test('CallMcpTool cannot get around a rule, and is no way into itself', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) }, { permissions: { deny: ['mcp__desk__append'] } });
    const host = await scene.settle();
    const input = { name: 'mcp__desk__append', arguments: {} };
    expect(await host.call({ name: 'CallMcpTool', input })).toMatchObject({ error: { code: 'denied' } });
    const nested = { name: 'CallMcpTool', arguments: input };
    expect(await host.call({ name: 'CallMcpTool', input: nested })).toMatchObject({ error: { code: 'bad-input' } });
    expect(await host.call({ name: 'CallMcpTool', input: { name: 7 } })).toMatchObject({
      error: { code: 'bad-input' },
    });
    expect(scene.journalLines()).toEqual([]);
    const found = await host.call({ name: 'ToolSearch', input: { query: 'select:mcp__desk__append' } });
    expect(found.structuredContent).toMatchObject({ matches: [] });
  });

  test('an input that does not fit is answered with the schema, and not sent', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking([weather]) });
    const host = await scene.settle();
    const result = await host.call({ name: 'mcp__desk__weather', input: { town: 'Oslo' } });
    expect(result).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'bad-input' } });
    expect(textOf(result)).toContain(JSON.stringify(inputSchema));
    expect(scene.journalLines()).toEqual([]);
    // That a person typed it approves the call; that it is to be sent as it is has to be said as well.
    for (const how of [{ isTyped: true }, { isForced: true }, { isTyped: false, isForced: true }]) {
      const refused = await host.call({ name: 'mcp__desk__weather', input: { town: 'Oslo' }, ...how });
      expect(refused).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'bad-input' } });
    }
    expect(scene.journalLines()).toEqual([]);
    const forced = { name: 'mcp__desk__weather', input: { town: 'Oslo' }, isTyped: true, isForced: true };
    expect(await host.call(forced)).toMatchObject({ outcome: 'ok' });
  });

  test('a tool that a model has read of, and that is gone, says so', async () => {
    await using scene = openWalk();
    const changing = scene.changing(['append', 'weather']);
    scene.configure({ desk: changing.entry });
    const { host, untilListed } = await scene.open({ watch: false });
    await host.settled();
    const first = host.forModel('anthropic');
    changing.set(['append']);
    await host.call({ name: 'mcp__desk__announce' });
    await untilListed(({ removed }) => removed.includes('weather'));
    const second = host.forModel('anthropic');
    expect(JSON.stringify(second.tools)).toBe(JSON.stringify(first.tools));
    expect(second.news).toContain('mcp__desk__weather');
    const result = await host.call({ name: 'mcp__desk__weather' });
    expect(result).toMatchObject({ outcome: 'error', error: { code: 'unknown-tool' } });
    expect(textOf(result)).toContain('is gone');
  });
});

test('of the calls of one turn those that only read run together, and the others in order', async () => {
  await using scene = openWalk();
  const look = { name: 'look', annotations: { readOnlyHint: true } };
  scene.configure({ desk: scene.walking([look, 'append']) });
  const host = await scene.settle();
  const results = await host.callAll([
    call('look', 'a', 60),
    call('look', 'b', 30),
    call('append', 'c', 20),
    call('append', 'd', 1),
    call('look', 'e', 30),
    call('look', 'f', 1),
  ]);
  expect(results.map((result) => /"key":"(.)"/u.exec(textOf(result))?.[1])).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  const lines = scene.journalLines().map((line) => line.replace(/(?:look|append) /u, ''));
  expect(lines.slice(0, 4).toSorted()).toEqual(['begin a', 'begin b', 'end a', 'end b']);
  expect(lines.slice(0, 2)).toEqual(['begin a', 'begin b']);
  expect(lines.slice(4, 8)).toEqual(['begin c', 'end c', 'begin d', 'end d']);
  expect(lines.slice(8, 10)).toEqual(['begin e', 'begin f']);
});

describe('a server that wants the user to visit a page first', () => {
  test('is called again when that is done, three times at most', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['page'], { VISITED_AFTER: '3' }), door: scene.walking(['page']) });
    const urls: unknown[] = [];
    const elicit = async ({
      url,
      server,
    }: {
      url?: string | undefined;
      server: string;
    }): Promise<{ action: 'accept' }> => {
      urls.push([server, url]);
      return { action: 'accept' };
    };
    const host = await scene.settle({ ports: { elicit } });
    const result = await host.call({ name: 'mcp__desk__page' });
    expect(result).toMatchObject({ outcome: 'ok', attempts: 3 });
    expect(textOf(result)).toBe('signed');
    const never = await host.call({ name: 'mcp__door__page' });
    expect(never).toMatchObject({ outcome: 'error', attempts: 4 });
    expect(urls).toHaveLength(5);
    expect(urls[0]).toEqual(['desk', 'https://example.com/sign']);
    expect((await scene.ledgerOf(host)).map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['ok', 3],
      ['error', 4],
    ]);
  });

  test('is told so where nobody can be asked, and is never sent to what is no page', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['page', 'bad_page']) });
    const host = await scene.settle();
    const result = await host.call({ name: 'mcp__desk__page' });
    expect(result).toMatchObject({ outcome: 'error', attempts: 1, error: { code: 'input-failed' } });
    expect(textOf(result)).toContain('https://example.com/sign');
    const asked: unknown[] = [];
    const elicit = async (question: unknown): Promise<{ action: 'accept' }> => {
      asked.push(question);
      return { action: 'accept' };
    };
    const other = await scene.settle({ ports: { elicit } });
    expect(await other.call({ name: 'mcp__desk__bad_page' })).toMatchObject({ outcome: 'error', attempts: 1 });
    expect(asked).toEqual([]);
  });
});

test('what a model has read stays as it was, byte by byte, while servers come and go', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['append', 'read']), late: scene.walking(['far'], {}) });
  const host = await scene.settle();
  const profiles = ['anthropic', 'openai', 'gemini'] as const;
  const first = profiles.map((profile) => host.forModel(profile));
  const again = profiles.map((profile) => host.forModel(profile));
  for (const [at, turn] of again.entries()) {
    expect(JSON.stringify([turn.tools, turn.system])).toBe(JSON.stringify([first[at]!.tools, first[at]!.system]));
    expect(turn.news).toBeUndefined();
  }
  host.disable('late');
  const without = profiles.map((profile) => host.forModel(profile));
  host.enable('late');
  await host.settled();
  const back = profiles.map((profile) => host.forModel(profile));
  for (const [at, profile] of profiles.entries()) {
    expect([profile, without[at]!.news]).toEqual([profile, expect.stringContaining('"late"')]);
    expect([profile, back[at]!.news]).toEqual([profile, expect.stringContaining('"late"')]);
    for (const turn of [without[at]!, back[at]!]) {
      expect(JSON.stringify([turn.tools, turn.system])).toBe(JSON.stringify([first[at]!.tools, first[at]!.system]));
    }
  }
  const other = host.forModel('anthropic', { session: 'another' });
  expect(JSON.stringify(other.tools)).toBe(JSON.stringify(first[0]!.tools));
});

function call(tool: string, key: string, ms: number): ToolRequest {
  return { name: `mcp__desk__${tool}`, input: { key, ms } };
}
