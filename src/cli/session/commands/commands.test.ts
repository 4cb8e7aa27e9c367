import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contextCost } from '../../../actions/running-server.js';
import { tokenText } from '../../panel/tokens/token-text.js';
import { textWidth } from '../../terminal/text/text-width.js';
import { packageFile } from '../../../../test/real-servers/real-server.js';
import type { Command } from '../command.js';
import { readEntered } from '../command.js';
import type { ModelPort } from '../../../session/index.js';
import { scriptedModel } from '../../../../test/session/scripted-model.js';
import { openSessionScene, type SessionScene } from '../../../../test/session/session-scene.js';
import { commands } from './all.js';
import { mcpCommand } from './mcp.js';

const script = (file: string): Record<string, unknown> => ({
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../../../../test', file)],
});

let scene: SessionScene;
beforeAll(async () => {
  scene = await openSessionScene({
    tools: script('program/tool-server.mjs'),
    journal: script('host/journal-server.mjs'),
    every: { command: process.execPath, args: [packageFile('@modelcontextprotocol/server-everything'), 'stdio'] },
    gone: script('none.mjs'),
  });
  await scene.host.settled();
});
afterAll(() => scene[Symbol.asyncDispose]());

function find(name: string): Command {
  return commands.find((one) => one.name === name)!;
}

/** The printed output of a line, or its error. */
async function enter(line: string): Promise<string> {
  const entered = readEntered(line, commands);
  if (entered.kind !== 'command') throw new Error(`${line} is no command`);
  const words = entered.rest === '' ? [] : entered.rest.split(' ');
  return scene.run(entered.command, ...words);
}

test.each([
  ['/help', 'command'],
  ['/HELP', 'command'],
  ['/quit', 'command'],
  ['/? ', 'command'],
  ['  /mcp  ', 'command'],
  ['/mcp__every__args-prompt a', 'message'],
  ['/usr/bin is broken', 'message'],
  ['/etc/passwd', 'message'],
  ['/', 'message'],
  ['hello /help', 'message'],
  [' /hlep', 'message'],
  ['/hlep', 'unknown'],
  ['/frobnicate all', 'unknown'],
])('%j is a %s', (text, kind) => {
  expect(readEntered(text, commands)).toMatchObject({ kind });
});

test('a slip is told with what was meant', () => {
  expect(readEntered('/hlep', commands)).toMatchObject({ name: 'hlep', close: 'help' });
  expect(readEntered('/frobnicate', commands)).toMatchObject({ close: undefined });
});

test('names and aliases are unique, and help shows every command', async () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  const help = await enter('/help');
  for (const { name } of commands) expect(help).toContain(`/${name}`);
});

test('tools are shown by server, and found by words', async () => {
  expect(await enter('/tools')).toMatch(
    /journal: 5 tools \(protocol .*\)\n {2}read\(key\?: string, ms\?: number\) +the tool read\n/u,
  );
  expect(await enter('/tools adds numbers')).toContain('mcp__tools__add');
  expect(await enter('/tools xyzzy')).toContain('No tool matches xyzzy');
});

test('a tool is called by hand, its arguments by its schema', async () => {
  expect(await enter('/call tools.add a=7 on=true')).toContain('{"a":7,"on":true}');
  expect(await enter('/call mcp__tools__echo text=hi')).toContain('{"text":"hi"}');
  expect(await enter('/call picture')).toMatch(/3 bytes, .*saved to /u);
  expect(await enter('/call tools.fail')).toContain('fail reports an error:\nthe disk is full\n');
  expect(await enter('/call ansi')).not.toContain('\u001b');
});

test('what cannot be called says why', async () => {
  await expect(enter('/call')).rejects.toMatchObject({ code: 'usage' });
  await expect(enter('/call tools.ad a=1')).rejects.toMatchObject({ hint: 'Did you mean tools.add?' });
  await expect(enter('/call gone.any')).rejects.toMatchObject({ code: 'connection-closed' });
  await expect(enter('/call tools.add a=x')).rejects.toMatchObject({ code: 'usage' });
  await expect(enter('/call tools.refuse')).rejects.toMatchObject({ code: 'server-error' });
});

test('a call that takes long shows that it does, and is stopped', async () => {
  await using own = await openSessionScene({ tools: script('program/tool-server.mjs') });
  await own.host.settled();
  const calling = own.run(find('call'), 'tools.never');
  await own.screen.until(({ zones }) => zones.get('work')?.[0]?.includes('never') === true);
  own.stopping.abort();
  await expect(calling).rejects.toMatchObject({ code: 'cancelled' });
  expect(own.screen.zones.has('work')).toBe(false);
});

test('what a tool says does not stand in the middle of what somebody is asked', async () => {
  await using own = await openSessionScene({ tools: script('program/tool-server.mjs') });
  await own.host.settled();
  const answered = new AbortController();
  const asked = own.context.asking.enqueue(
    () => new Promise((done) => answered.signal.addEventListener('abort', done)),
  );
  const calling = own.run(find('call'), 'tools.echo', 'text=hi');
  await own.screen.until(({ zones }) => zones.has('work'));
  await own.screen.until(({ zones }) => !zones.has('work'));
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => void setImmediate(done));
  expect(own.screen.text).toBe('');
  answered.abort();
  await asked;
  expect(await calling).toContain('{"text":"hi"}');
});

test('a model whose endpoint never answers is not waited for any longer than the user wants', async () => {
  const stopping = new AbortController();
  const context = { ...scene.context, signal: stopping.signal, chooseModel: () => new Promise<never>(() => {}) };
  const choosing = find('model').run(context, ['other']);
  stopping.abort();
  await expect(choosing).rejects.toMatchObject({ code: 'cancelled' });
});

test('/model names the context window that the provider says, and does not wait longer for it than the user wants', async () => {
  await using own = await openSessionScene({});
  let contextTokens = 200_000;
  const model: ModelPort = {
    ...scriptedModel([]),
    findContextTokens: async () => (contextTokens = 1_000_000),
    get contextTokens() {
      return contextTokens;
    },
  };
  const context = { ...own.context, chooseModel: () => Promise.resolve(model) };
  await find('model').run(context, ['other']);
  expect(own.screen.text).toContain('From now on: scripted of a script, context of 1,000,000 tokens.');
  own.session.useModel({ ...scriptedModel([]), findContextTokens: () => new Promise(() => {}) });
  const showing = own.run(find('model'));
  own.stopping.abort();
  expect(await showing).toContain('context of 200,000 tokens');
});

test('/tools, /resources and /prompts with the name of a server list what that server has', async () => {
  const tools = await enter('/tools tools');
  expect(tools).toMatch(/^tools: \d+ tools \(protocol /u);
  expect(tools).toContain('echo(text: string)');
  expect(tools).not.toContain('every: ');
  // A word that is no server, and words beside one, are looked for.
  expect(await enter('/tools tool')).not.toMatch(/^tools: /u);
  expect(await enter('/tools tools echo')).toContain('mcp__tools__echo');
  // What was set aside of another server is told where that server is listed.
  expect(tools).toContain('tool "broken" is set aside');
  expect(await enter('/tools journal')).not.toContain('is set aside');
  const prompts = await enter('/prompts every');
  expect(prompts).toMatch(/^every: \d+ prompts\n/u);
  expect(await enter('/prompts journal')).not.toContain('/mcp__every__args-prompt');
  await expect(enter('/prompts evrey')).rejects.toMatchObject({ code: 'unknown-server' });
  for (const command of ['tools', 'prompts', 'resources']) {
    const items = find(command).completes?.(scene.context, { before: [], last: 'ev' }) ?? [];
    expect(items.map(({ text }) => text)).toContain('every');
  }
});

test('prompts, resources and skills are listed as they are typed', async () => {
  expect(await enter('/prompts')).toContain('/mcp__every__args-prompt city [state]');
  expect(await enter('/resources journal')).toContain('@journal:file:///journal');
  expect(await enter('/skills')).toContain('No server offers skills.');
  await expect(enter('/resources nobody')).rejects.toMatchObject({ code: 'unknown-server' });
});

test('permissions say what decides, for one tool and for all', async () => {
  expect(await enter('/permissions tools.echo')).toMatch(/^mcp__tools__echo: asks you first\n {2}Why: /u);
  expect(await enter('/permissions')).toContain('Mode: default');
  expect(await enter('/permissions none')).toContain('warning: only the name of "none" is known: ');
});

test('cost names every server, the built-in tools and the system text, without a conversation', async () => {
  const cost = await enter('/cost');
  expect(cost).toContain('Context: 200k tokens');
  expect(cost).toMatch(/^ {2}every +[\d.k]+ +0 /mu);
  const { builtIns, system } = contextCost(scene.host);
  const own = builtIns.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(own).toBeGreaterThan(0);
  expect(cost).toMatch(new RegExp(`^ {2}\\(built-in tools\\) +${tokenText(own)} `, 'mu'));
  expect(cost).toMatch(new RegExp(`^ {2}\\(system text\\) +${tokenText(system)} `, 'mu'));
  expect(cost).toContain('Used so far: 0 tokens read');
});

test.each([40, 60, 80, 200])('no row of /cost is wider than %i columns, and names keep their end', async (columns) => {
  const name = 'a-company-internal-service-with-a-name-of-sixty-characters-01';
  const tools = script('program/tool-server.mjs');
  await using own = await openSessionScene({ [name]: tools, short: tools });
  own.screen.columns = columns;
  await own.host.settled();
  const rows = (await own.run(find('cost'))).split('\n').filter((row) => row.startsWith('  '));
  expect(Math.max(...rows.map((row) => textWidth(row)))).toBeLessThanOrEqual(columns);
  expect(rows.filter((row) => /^ {2}a-comp.*-01 +\d/u.test(row))).toHaveLength(1);
  expect(rows.filter((row) => /^ {2}\(built-in tools\) +[\d.k]+/u.test(row))).toHaveLength(1);
});

test.each([40, 80])('in %i columns, what costs more than it brings is named with a line to write', async (columns) => {
  await using own = await openSessionScene({ idle: script('program/tool-server.mjs') });
  own.screen.columns = columns;
  await own.host.settled();
  expect(await own.run(find('cost'))).not.toContain('idle:');
  expect(await own.run(find('value'))).toContain('No turn and no call is recorded yet');
  for (let turn = 0; turn < 20; turn++) own.host.forModel('anthropic');
  const cost = (await own.run(find('cost'))).replaceAll(/\s+/gu, ' ');
  expect(cost).toContain('Servers that cost more than they bring, or than they need: idle: told in 20 turns');
  expect(cost).toMatch(/To disable it \(\d+ tokens a turn less\), write into "mcpServers.idle" in .*"disabled": true/u);
  expect(cost).toContain('Other ways: /value');
  const value = await own.run(find('value'), 'idle');
  expect(value).toMatch(/^TOOL +PER TURN/mu);
  expect(value).toContain('or run: /mcp disable idle');
  expect(
    Math.max(
      ...value
        .split('\n')
        .filter((row) => /^\w+ +\d/u.test(row))
        .map(textWidth),
    ),
  ).toBeLessThanOrEqual(columns);
});

test('a server is switched off and on, in its file', async () => {
  const off = await enter('/mcp disable journal');
  expect(off).toContain('Disabled MCP server journal\nFile modified:');
  expect(await enter('/mcp enable journal')).toContain('Enabled MCP server journal\n');
});

test('reconnecting says how it went, and what is to be done', async () => {
  expect(await enter('/mcp reconnect journal')).toMatch(/journal: .* - ✔ connected \(5 tools/u);
  expect(await enter('/mcp reconnect gone')).toContain('✘ failed');
});

test('tools and logs of one server are shown', async () => {
  expect(await enter('/mcp tools journal')).toMatch(
    /^journal: 5 tools .*\n(?:.*\n)* {2}append\(.*\) +the tool append\n/u,
  );
  expect(await enter('/mcp logs gone')).toMatch(/\| .*none\.mjs/u);
});

test.each([
  ['/mcp reconect journal', { hint: 'Did you mean /mcp reconnect?' }],
  ['/mcp reconnect jornal', { hint: 'Did you mean "journal"?' }],
  ['/mcp reconnect', { code: 'usage' }],
  ['/mcp disable all', { code: 'usage' }],
  ['/mcp reconnect a b', { code: 'usage' }],
  ['/mcp approve journal', { message: expect.stringContaining('needs no approval') as string }],
])('%s is refused with a next step', async (line, error) => {
  await expect(enter(line)).rejects.toMatchObject(error);
});

test('nobody waits for approval', async () => {
  expect(await enter('/mcp approve')).toContain('No server of this project waits for approval');
});

test('where the screen cannot be drawn on, /mcp is a table', async () => {
  await using own = await openSessionScene({ journal: script('host/journal-server.mjs') }, { isPlain: true });
  await own.host.settled();
  expect(await own.run(mcpCommand)).toContain('journal');
});

test('a new conversation, more words, the model and agents', async () => {
  expect(await enter('/clear')).toBe('No conversation yet.\n');
  expect(await enter('/verbose')).toBe('Verbose is on: all is shown.\n');
  expect(await enter('/agents')).toContain('--agents');
  expect(await find('exit').run(scene.context, [])).toBe('leave');
});

test('/call refuses what does not fit, with the signature; --force sends it, and f(a: 1) is understood', async () => {
  await expect(enter('/call tools.echo txet=hi')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('txet: not an argument; did you mean text?') as string,
    hint: 'echo(text: string)\nTo send them as they are: --force',
  });
  expect(await enter('/call tools.echo txet=hi --force')).toContain('{"txet":"hi"}');
  const words = find('call').split!(' --force tools.echo(text: "a b", \'more\': [1, 2]) ');
  expect(words).toEqual([`tools.echo(text: "a b", 'more': [1, 2])`, '--force']);
  expect(await scene.run(find('call'), ...words)).toContain('{"text":"a b","more":[1,2]}');
  expect(find('call').split!('tools.echo text="a (b) c"')).toEqual(['tools.echo', 'text=a (b) c']);
});
