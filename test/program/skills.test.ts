import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PDF } from '../offers/skill-scene.js';
import { call, promptScene, resultOf, say } from './prompt-scene.js';

const args = [join(import.meta.dirname, '../offers/skill-server.mjs')];

/** `--mcp-server` for a server whose skills are in this file of the sandbox. */
function skilled(file: string): readonly string[] {
  const entry = { command: process.execPath, args, env: { SKILLS: file } };
  return ['--mcp-server', `forms=${JSON.stringify(entry)}`];
}

test('a skill that is typed on the command line comes before the prompt, and the model reads its files', async () => {
  const file = { skill: 'forms:pdf', file: 'skill://pdf/FORM.md' };
  const { run, api, sandbox } = await promptScene([[call('Skill', file)], say('Done.')]);
  const path = sandbox.write('skills.json', [PDF]);
  const done = await run(['-p', '/skills forms:pdf the tax form', ...skilled(path)]);
  expect(done).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(api.refused).toEqual([]);
  expect(api.requests[0]!['messages']).toMatchObject([
    {
      content: [
        { text: expect.stringContaining('\n> Open the form first.\n') as string },
        { text: '/skills forms:pdf the tax form' },
      ],
    },
  ]);
  expect(JSON.stringify(api.requests[0]!['system'])).toContain(String.raw`- \"forms:pdf\": Fills in forms`);
  expect(JSON.stringify(resultOf(api))).toContain('a form');
});

test('a skill that there is not fails the prompt, and no model is asked', async () => {
  const { run, api, sandbox } = await promptScene([say('no')]);
  const path = sandbox.write('skills.json', [PDF]);
  const done = await run(['-p', '/skills forms:pfd x', ...skilled(path)]);
  expect(done.code).toBe(1);
  expect(done.stderr).toContain('There is no skill "forms:pfd"');
  expect(done.stderr).toContain('Did you mean "forms:pdf"?');
  expect(api.requests).toEqual([]);
});
