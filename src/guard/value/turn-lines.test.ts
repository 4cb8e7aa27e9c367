import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ShownBlock } from '../../model/value/shown-block.js';
import { ValueTally } from '../../model/value/value-tally.js';
import { Ledger, type LedgerOptions } from '../ledger.js';
import { readLedger } from '../ledger-read.js';
import { scanLedger } from './scan-ledger.js';

const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const WINDOW = { from: '2026-10-16T12:00:00.000Z', to: '2026-11-15T12:00:00.000Z' };

function makeBlock(name = 'notes', tools: readonly string[] = ['add', 'find']): ShownBlock {
  const start = `mcp__${name}__`;
  return {
    profile: 'anthropic',
    contextTokens: 200_000,
    toolSearch: 'auto',
    canSearch: true,
    builtIns: 500,
    system: 100,
    servers: [
      {
        name,
        loaded: 50 * tools.length,
        deferred: 0,
        instructions: 10,
        count: tools.length,
        names: 5,
        always: 0,
        marked: 0,
        tools: new Map(tools.map((tool) => [start + tool, { tokens: 50 }])),
      },
    ],
  };
}

function turn(shown: ShownBlock, changed: Readonly<Record<string, number>> = {}): Parameters<Ledger['writeTurn']>[0] {
  return { shown, changed: new Map(Object.entries(changed)), isOfFork: false, ownNameOf };
}

const ownNameOf = (name: string): string => name.split('__').at(-1)!;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-turns-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'ledger');
}

function open(folder: string, options: Partial<LedgerOptions> = {}): Ledger {
  const ledger = new Ledger({ folder, wall: () => NOW, onProblem: () => {}, ...options });
  onTestFinished(() => ledger[Symbol.asyncDispose]());
  return ledger;
}

async function tallyOf(folder: string): Promise<ValueTally & { skipped: number; unread: number }> {
  const tally = new ValueTally(WINDOW);
  const { skipped, unread } = await scanLedger(folder, tally);
  tally.finish();
  return Object.assign(tally, { skipped, unread: unread.length });
}

const call = { id: '1', tool: 'mcp__notes__add', server: 'notes', decision: 'allow', outcome: 'ok', ms: 5 } as const;

test('a turn is a hundred bytes, and what all turns of a conversation show is written once', async () => {
  const folder = makeFolder();
  const ledger = open(folder);
  const block = makeBlock();
  for (let at = 0; at < 40; at++) ledger.writeTurn(turn(block, at === 7 ? { notes: 120, web: 40 } : {}));
  // Another conversation with the same tools.
  for (let at = 0; at < 5; at++) ledger.writeTurn(turn(makeBlock()));
  await ledger[Symbol.asyncDispose]();
  const lines = readFileSync(join(folder, 'calls.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(46);
  expect(Math.max(...lines.slice(1).map(({ length }) => length))).toBeLessThan(130);
  const tally = await tallyOf(folder);
  expect(tally).toMatchObject({ turns: 45, unknownTurns: 0, breaks: 1, breakTokens: 120, skipped: 0 });
  expect(tally.servers.get('notes')).toMatchObject({ toldTurns: 45, definitionTokens: 4_500, instructionTokens: 450 });
  expect(tally.servers.get('web')).toMatchObject({ toldTurns: 0, breaks: 1, breakTokens: 40 });
});

test('the last calls are found however many turns came since', async () => {
  const folder = makeFolder();
  const ledger = open(folder);
  for (const id of ['1', '2', '3']) ledger.write({ ...call, id });
  for (let at = 0; at < 500; at++) ledger.writeTurn(turn(makeBlock()));
  await ledger[Symbol.asyncDispose]();
  const idsOf = (tail: number, server?: string): unknown[] =>
    readLedger(folder, { tail, server }).calls.map((line) => ('id' in line ? line.id : line.lost));
  expect([idsOf(2), idsOf(50), idsOf(1, 'notes'), idsOf(0), idsOf(5, 'web')]).toEqual([
    ['2', '3'],
    ['1', '2', '3'],
    ['3'],
    [],
    [],
  ]);
});

test('what turns showed is known also after the file that had it is gone', async () => {
  const folder = makeFolder();
  const ledger = open(folder, { bytes: 4_000, keep: 2 });
  const block = makeBlock();
  for (let at = 0; at < 400; at++) {
    ledger.writeTurn(turn(block));
    if (at % 10 === 0) await new Promise(setImmediate);
  }
  await ledger[Symbol.asyncDispose]();
  const again = open(folder, { bytes: 4_000, keep: 2 });
  for (let at = 0; at < 120; at++) again.writeTurn(turn(block));
  await again[Symbol.asyncDispose]();
  const { turns, unknownTurns } = await tallyOf(folder);
  expect(turns).toBeGreaterThan(60);
  expect(unknownTurns).toBeLessThan(50);
});

test('ten thousand tools of a thousand servers are a line of 64 kB at most, with the most expensive in it', async () => {
  const folder = makeFolder();
  const ledger = open(folder);
  const servers = Array.from({ length: 1_000 }, (_, at) => ({
    ...makeBlock(
      `server-${at}`,
      Array.from({ length: 10 }, (__, tool) => `${'x'.repeat(30)}${tool}`),
    ).servers[0]!,
    loaded: at,
  }));
  ledger.writeTurn(turn({ ...makeBlock(), servers }));
  await ledger[Symbol.asyncDispose]();
  const text = readFileSync(join(folder, 'calls.jsonl'), 'utf8');
  expect(text.length).toBeLessThan(65_536);
  const { servers: found } = await tallyOf(folder);
  expect([found.size, found.has('server-999'), found.has('server-0')]).toEqual([200, true, false]);
});

test('names of servers and tools are cleaned, and a tool of another name is not taken for it', async () => {
  const folder = makeFolder();
  const ledger = open(folder);
  const evil = '\u001b[31mred\u202e\n';
  const odd = makeBlock(evil, ['a']);
  ledger.writeTurn({ ...turn(odd), ownNameOf: () => 'gh\u202eost' });
  ledger.writeTurn({ ...turn(makeBlock('plain', ['a.b'])), ownNameOf: () => 'a/b' });
  await ledger[Symbol.asyncDispose]();
  expect(readFileSync(join(folder, 'calls.jsonl'), 'utf8')).not.toMatch(/u001b|\u202e|u202e/u);
  const { servers } = await tallyOf(folder);
  expect([...servers.keys()]).toEqual(['red ', 'plain']);
  const owns = [...servers.values()].map(({ last }) => [...last!.server.tools.values()].map(({ own }) => own));
  expect(owns).toEqual([[undefined], ['a/b']]);
});

test('a ledger that anybody has written to is read without harm, and says what was left out', async () => {
  const folder = makeFolder();
  mkdirSync(folder);
  const at = '2026-11-14T00:00:00.000Z';
  const line = (value: object): string => `${JSON.stringify({ at, pid: 1, ...value })}\n`;
  writeFileSync(
    join(folder, 'calls.jsonl'),
    [
      'no json\n{"at":\n[]\nnull\n"text"\n\n',
      line({ turn: 'gone' }),
      line({ turn: '__proto__', changes: { __proto__: 4, notes: 'many', web: -1, far: 1e300 } }),
      line({ block: 'b', profile: 'anthropic', servers: [null, [], ['x', 'y'], ['s', [1e99, -5, 'x'], []], 7] }),
      line({ turn: 'b', changes: [] }),
      line({ block: 'c', servers: 'all' }),
      line({ ...call, tokens: 'x', ms: 1e300, at: 'yesterday' }),
      line({ ...call, tokens: -5, ms: 1e300 }),
      line({ ...call, server: '__proto__', tool: 'constructor' }),
      // A completion is none of a model's calls.
      line({ ...call, completes: 'city' }),
      line({ ...call, at: '2031-01-01T00:00:00.000Z' }),
      line({ lost: 'x' }),
      line({ lost: 3 }),
      line({ lostTurns: 2 }),
      `{"at":"${at}","huge":"${'x'.repeat(3_000_000)}"}\n`,
      line({ ...call, id: 'last' }),
      '{"at":"2026-11-14T00:00:00.000Z","turn":"unfini',
    ].join(''),
  );
  const tally = await tallyOf(folder);
  expect(tally).toMatchObject({ turns: 3, unknownTurns: 2, lost: 3, lostTurns: 2, future: 1 });
  expect(tally.servers.get('notes')).toMatchObject({ calls: 2, resultTokens: 0, ms: 5 });
  expect(tally.servers.get('__proto__')).toMatchObject({ calls: 1 });
  expect(tally.servers.get('s')).toMatchObject({ turns: 1, toldTurns: 0, definitionTokens: 0 });
  // The five that are no objects of the ledger, the block that is none, the gap that is none, and the huge one.
  expect(tally.skipped).toBe(8);
});

test('all files of the ledger are read once, and what is no file is left out with the reason', async () => {
  const folder = makeFolder();
  mkdirSync(folder);
  const write = (name: string, id: string): void =>
    writeFileSync(join(folder, name), `${JSON.stringify({ ...call, id, at: '2026-11-14T00:00:00.000Z', pid: 1 })}\n`);
  for (const name of ['calls.jsonl', 'calls.jsonl.1', 'calls.jsonl.12', 'calls.jsonl.x', 'other.jsonl'])
    write(name, name);
  const target = join(folder, '..', 'elsewhere');
  writeFileSync(target, readFileSync(join(folder, 'calls.jsonl')));
  symlinkSync(target, join(folder, 'calls.jsonl.2'));
  execFileSync('mkfifo', [join(folder, 'calls.jsonl.3')]);
  mkdirSync(join(folder, 'calls.jsonl.4'));
  const tally = await tallyOf(folder);
  expect([tally.servers.get('notes')?.calls, tally.unread]).toEqual([3, 3]);
});

test('no ledger is an empty one, and a folder that cannot be read is an error', async () => {
  const folder = makeFolder();
  expect(await tallyOf(folder)).toMatchObject({ turns: 0, since: undefined, skipped: 0 });
  writeFileSync(folder, 'a file');
  await expect(tallyOf(folder)).rejects.toMatchObject({ code: 'config-unreadable', hint: expect.any(String) });
});

test('a clock that goes backwards, and lines that come in any order, change no figure', async () => {
  const folder = makeFolder();
  let wall = NOW;
  const ledger = open(folder, { wall: () => wall });
  const block = makeBlock();
  for (const back of [0, 3_000_000, 5 * 86_400_000, 1_000]) {
    wall = NOW - back;
    ledger.writeTurn(turn(block));
    ledger.write(call);
  }
  await ledger[Symbol.asyncDispose]();
  const { servers, since, unknownTurns } = await tallyOf(folder);
  expect([since, unknownTurns]).toEqual(['2026-11-10T12:00:00.000Z', 0]);
  expect(servers.get('notes')).toMatchObject({
    calls: 4,
    toldTurns: 4,
    firstTold: '2026-11-10T12:00:00.000Z',
    lastTold: '2026-11-15T12:00:00.000Z',
    lastUsed: '2026-11-15T12:00:00.000Z',
  });
});

test('whoever stops waiting stops the reading', async () => {
  const folder = makeFolder();
  mkdirSync(folder);
  for (let at = 0; at < 3; at++) appendFileSync(join(folder, 'calls.jsonl'), 'x\n'.repeat(500_000));
  const stop = new AbortController();
  const reading = scanLedger(folder, new ValueTally(WINDOW), stop.signal);
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});
