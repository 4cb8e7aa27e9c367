import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSessionScene, type SessionScene } from '../../../../test/session/session-scene.js';
import type { CompletionList } from '../../terminal/screen.js';
import { readEntered } from '../command.js';
import { SessionCompleter } from '../completion/completer.js';
import { commands } from './all.js';
import { skillsCommand } from './skills.js';

let scene: SessionScene;
let completer: SessionCompleter;
beforeAll(async () => {
  scene = await openSessionScene(
    {},
    {
      prepare: (sandbox) => {
        const file = join(sandbox.home, 'skills.json');
        const skills = [
          { name: 'pdf', description: 'Fills in forms\nand more' },
          { name: 'two words', folder: 'two', description: 'Odd \u001b[31mred' },
        ];
        writeFileSync(file, JSON.stringify(skills));
        const args = [resolve(import.meta.dirname, '../../../../test/offers/skill-server.mjs')];
        sandbox.configure({ odd: { command: process.execPath, args, env: { SKILLS: file } } });
      },
    },
  );
  await scene.host.settled();
  completer = new SessionCompleter(() => scene.context, commands);
});
afterAll(() => scene[Symbol.asyncDispose]());

test('skills are listed as they are typed', async () => {
  const shown = await scene.run(skillsCommand);
  expect(shown).toMatch(/^ *odd:pdf +Fills in forms$/mu);
  expect(shown).toMatch(/^ *"odd:two words" +Odd red$/mu);
  expect(shown).toContain('/skills NAME TEXT has the model use one');
});

test.each([
  ['/skills', 'command'],
  ['/skills  ', 'command'],
  ['/skills pdf', 'message'],
  ['/skills "odd:two words" for me', 'message'],
  ['/SKILLS', 'command'],
])('%j is a %s', (text, kind) => {
  expect(readEntered(text, commands)).toMatchObject({ kind });
});

test.each([
  ['/skills ', ['odd:pdf', '"odd:two words"']],
  ['/skills p', ['odd:pdf']],
  ['/skills ODD:P', ['odd:pdf']],
  ['/skills "odd:t', ['"odd:two words"']],
  ['/skills pdf ', []],
  ['/skills none', []],
])('%j is completed', async (text, expected) => {
  const found = await new Promise<CompletionList>((done) => void completer.complete(text, text.length, done));
  expect(found.items.map((item) => item.text)).toEqual(expected);
});
