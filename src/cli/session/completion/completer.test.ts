import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from '../../../../test/real-servers/real-server.js';
import type { CompletionItem, CompletionList } from '../../terminal/screen.js';
import { commands } from '../commands/all.js';
import { SessionCompleter } from './completer.js';
import { safeCompletions } from './safe-completions.js';
import { openSessionScene, type SessionScene } from '../../../../test/session/session-scene.js';

const script = (file: string, more = {}): Record<string, unknown> => ({
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../../../../test', file)],
  ...more,
});

let scene: SessionScene;
let completer: SessionCompleter;
beforeAll(async () => {
  scene = await openSessionScene({
    tools: script('program/tool-server.mjs'),
    journal: script('host/journal-server.mjs'),
    every: { command: process.execPath, args: [packageFile('@modelcontextprotocol/server-everything'), 'stdio'] },
  });
  await scene.host.settled();
  completer = new SessionCompleter(() => scene.context, commands);
});
afterAll(() => scene[Symbol.asyncDispose]());

function at(text: string): string[] {
  return (completer.complete(text, text.length, () => {})?.items ?? []).map((item) => item.text);
}

/** The completions after the servers have answered. */
function later(text: string): Promise<CompletionList> {
  return new Promise((done) => void completer.complete(text, text.length, done));
}

test('a slash shows commands at once, and prompts when they are known', async () => {
  expect(at('/')).toContain('/help');
  await later('/');
  expect(at('/mcp__every__ar')).toEqual(['/mcp__every__args-prompt']);
  expect(at('/args')).toEqual(['/mcp__every__args-prompt']);
  expect(at('/exi')).toEqual(['/exit']);
  expect(completer.complete('  /he', 5, () => {})).toMatchObject({ from: 2, to: 5, items: [{ text: '/help' }] });
});

test.each([
  ['/call jour', ['journal.read', 'journal.put', 'journal.append', 'journal.die', 'journal.grow']],
  ['/call append', ['journal.append']],
  ['/call mcp__tools__ec', ['mcp__tools__echo']],
  ['/call tools.add ', ['a=', 'b=', 'list=', 'on=']],
  ['/call tools.add a=1 o', ['on=']],
  ['/call tools.add a=1 on=', ['on=true', 'on=false']],
  ['/call --force tools.add a=1 o', ['on=']],
  [
    '/call every.get-structured-content location=',
    ['location="New York"', 'location=Chicago', 'location="Los Angeles"'],
  ],
  ['/call every.get-structured-content location=Ch', ['location=Chicago']],
  ['/call tools.none ', []],
  ['/mcp re', ['reconnect']],
  ['/mcp reconnect j', ['journal']],
  ['/mcp reconnect journal ', []],
  ['/resources ev', ['every']],
  ['/permissions tools.fa', ['tools.fail']],
  ['/exit ', []],
  ['hello', []],
  ['mail a@b.c', []],
])('%j', (text, expected) => {
  expect(at(text)).toEqual(expected);
});

test('a mention begins with servers that have something to read, then what they have', () => {
  expect(at('look at @')).toEqual(['@journal:', '@every:']);
  expect(at('look at @jour')).toEqual(['@journal:']);
  expect(at('@journal:')).toEqual(['@journal:file:///journal', '@journal:file:///']);
  expect(at('(@journal:file:///jo')).toEqual(['@journal:file:///journal']);
  expect(at('@every:startup')).toEqual(['@every:demo://resource/static/document/startup.md']);
});

test('the blank of a template, and the argument of a prompt, are asked of the server', async () => {
  const blank = await later('@every:demo://resource/dynamic/text/7');
  expect(blank.items[0]).toMatchObject({ text: '@every:demo://resource/dynamic/text/7', isWhole: true });
  const argument = await later('/mcp__every__completable-prompt S');
  expect(argument.items.map(({ text }) => text)).toEqual(['Sales', 'Support']);
  const second = await later('/mcp__every__completable-prompt Sales name=');
  expect(second.items.map(({ text }) => text)).toEqual(['name=David', 'name=Eve', 'name=Frank']);
});

const item = (text: string): CompletionItem => ({ text, about: '', isWhole: true });

test('a word that a terminal would obey is not offered', () => {
  expect(safeCompletions(0, 1, [item('a\u001b[31mb'), item('a\u202eb'), item('ok')])?.items).toEqual([item('ok')]);
  expect(safeCompletions(0, 1, [item('a\nb')])).toBeUndefined();
});

test('nothing is completed, and nothing breaks, before the host is there', () => {
  const early = new SessionCompleter(() => undefined, commands);
  expect(early.complete('/he', 3, () => {})?.items).toHaveLength(1);
  expect(early.complete('/call x', 7, () => {})).toBeUndefined();
  expect(early.complete('@x', 2, () => {})).toBeUndefined();
});

test('of ten thousand tools a handful is offered', async () => {
  const many = Array.from({ length: 10_000 }, (_, number) => `tool-${number}`).join(',');
  await using own = await openSessionScene({ many: script('host/journal-server.mjs', { env: { TOOLS: many } }) });
  await own.host.settled();
  const own10k = new SessionCompleter(() => own.context, commands);
  const complete = (text: string): number => own10k.complete(text, text.length, () => {})?.items.length ?? 0;
  expect(complete('/call tool-99')).toBe(50);
  expect(complete('/call many.tool-99')).toBe(50);
});
