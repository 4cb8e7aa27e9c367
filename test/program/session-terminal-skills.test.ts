import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PDF } from '../offers/skill-scene.js';
import { call, say } from './prompt-scene.js';
import { makeSandbox, USER_FILE } from './sandbox.js';
import { openModel, readBy, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('skills are listed, completed and used, and the model reads another file of one', async (context) => {
  const sandbox = makeSandbox();
  const skills = sandbox.write('skills.json', [PDF]);
  const args = [resolve(import.meta.dirname, '../offers/skill-server.mjs')];
  sandbox.write(USER_FILE, { mcpServers: { forms: { command: process.execPath, args, env: { SKILLS: skills } } } });
  const file = { skill: 'forms:pdf', file: 'skill://pdf/FORM.md' };
  const { api, env } = await openModel([[call('Skill', file, 't1')], say('Filled in.')]);
  const { enter, until, untilSo, write, type } = open(context, { sandbox, env });
  await until('forms is connected');
  await enter('/skills');
  expect(await until('/skills NAME TEXT has the model use one')).toMatch(/^ *forms:pdf +Fills in forms$/mu);
  await enter('/skills nothing');
  await until('There is no skill "nothing"');
  await untilSo((screen) => screen.endsWith('> /skills nothing'));
  type('C-u');
  write('/skills pd');
  await until('forms:pdf  Fills in forms', 2);
  type('Tab');
  await untilSo((screen) => screen.includes('> /skills forms:pdf'));
  write('the tax form\r');
  await until('Filled in.');
  expect(readBy(api, 1)).toContain(String.raw`\n> Open the form first.\n`);
  expect(readBy(api, 1)).toContain('"text":"/skills forms:pdf the tax form"');
  expect(readBy(api, 2)).toContain('a form');
  await enter('/exit');
  await until('[ended 0]');
});
