import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useSeats } from './session-terminal-scene.js';

const openSeat = useSeats();
const FIELDS = 6;

/** A session with a server that asks what its caller names. */
function files(): Readonly<Record<string, unknown>> {
  const args = [resolve(import.meta.dirname, '../calls/question-server.mjs')];
  return { 'home/.config/plugboard/config.json': { mcpServers: { asker: { command: process.execPath, args } } } };
}

/** A form with more fields than a small screen has rows. */
function callOf(message: string): string {
  const properties = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, at) => [`f${at}`, { type: 'string', title: `Part ${at}` }]),
  );
  const question = { message, requestedSchema: { type: 'object', properties } };
  return `/call asker.ask 'question:=${JSON.stringify(question)}'`;
}

const count = (text: string, part: string): number => text.split(part).length - 1;

test('a form with more fields than the screen has rows leaves only its answer', async (context) => {
  const { enter, reply, until, untilSo, seen } = openSeat(context, { files: files(), rows: 12 });
  await until('asker is connected');
  await enter(callOf('All of it'));
  for (let at = 0; at < FIELDS; at++) {
    await until(`Field ${at + 1} of ${FIELDS}`);
    expect(seen()).toContain('── Server "asker" asks you something ─');
    await reply(`value ${at}`, 'Text:');
  }
  await until('Send? [y]es, [n]o (decline), [b]ack:');
  expect(seen()).toContain('|   Part 0: value 0\n|   Part 1: value 1\n');
  await reply('b', 'Send? [y]es, [n]o (decline), [b]ack:');
  await reply('other', 'Text [value 5]:');
  await until('|   Part 5: other');
  await reply('n', 'Send? [y]es, [n]o (decline), [b]ack:');
  const screen = await untilSo((all) => all.includes('"action":"decline"'));
  expect(screen).toContain('✘ Server "asker": you declined');
  expect(screen).not.toMatch(/Field \d of|^Text|Nothing is sent|would be sent/mu);
});

test('a form on a screen that gets smaller shows no row twice', async (context) => {
  const { enter, reply, until, untilSo, seen, resize } = openSeat(context, { files: files(), rows: 30 });
  await until('asker is connected');
  const message = Array.from({ length: 12 }, (_, at) => `Line ${at}.`).join('\n');
  await enter(callOf(message));
  await reply('value 0', 'Text:');
  await until('Field 2 of');
  resize(80, 12);
  await untilSo(() => seen().split('\n').length <= 12 && seen().endsWith('Text:'));
  await reply('value 1', 'Text:');
  const screen = await until('Field 3 of');
  for (const part of ['asks you something', '| Line 0.', '| Line 6.', '| Line 11.', 'Nothing is sent'])
    expect([part, count(screen, part)]).toEqual([part, 1]);
});
