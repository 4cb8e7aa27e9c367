import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseYamlFields } from '../../src/edge/yaml-fields.js';
import { type OfferScene, openOffers, script } from './scene.js';

const server = 'odd';
let scene: OfferScene;
beforeAll(async () => void (scene = await openOffers({ [server]: script('odd-server.mjs') })), 30_000);
afterAll(() => scene[Symbol.asyncDispose]());

test('skills are listed by the extension and as resources; those that promise too much are left out', async () => {
  const { skills, notes } = await scene.host.skills();
  expect(skills.map(({ uri }) => uri)).toEqual([
    'skill://pdf/SKILL.md',
    'skill://plain/SKILL.md',
    'skill://unlisted/SKILL.md',
  ]);
  expect(skills[0]).toEqual({ server, name: 'pdf', description: 'Fills in forms', uri: 'skill://pdf/SKILL.md' });
  expect(notes).toEqual([
    '"odd": a skill is left out: it has no name',
    '"odd": a skill is left out: it is no object',
    '"odd": a skill is left out: its files have more than 16777216 bytes',
    '"odd": a skill is left out: one of its files lies outside of it',
    '"odd": a skill is left out: its SKILL.md is not among its files',
    '"odd": 1 more skills are left out',
  ]);
});

test('a skill that is what was listed is read, and its files with it', async () => {
  expect(await scene.host.readSkill({ server, skill: 'pdf' })).toEqual({
    ok: true,
    uri: 'skill://pdf/SKILL.md',
    name: 'pdf',
    description: 'Fills in forms',
    instructions: '\nDo as it says.\n',
    files: ['skill://pdf/FORM.md'],
  });
  const file = { server, skill: 'pdf', file: 'skill://pdf/FORM.md' };
  expect(await scene.readSkillFile(file)).toMatchObject({
    ok: true,
    content: { blob: Buffer.from('a form').toString('base64') },
  });
});

test('what a server promises of one that it does not list holds as well', async () => {
  expect(await scene.host.readSkill({ server, skill: 'skill://unlisted/SKILL.md' })).toMatchObject({
    ok: false,
    error: { code: 'bad-answer', message: expect.stringContaining('not what was listed') as string },
  });
});

test('one that is a resource only is found by its address', async () => {
  expect(await scene.host.readSkill({ server, skill: 'skill://plain/SKILL.md' })).toMatchObject({
    ok: true,
    name: 'plain',
    instructions: 'Hello',
    files: ['skill://plain/a', 'skill://plain/b'],
  });
});

test.each([
  ['a file that is none of its own', { skill: 'pdf', file: 'skill://plain/SKILL.md' }, 'bad-answer'],
  ['a way out of its folder', { skill: 'skill://plain/SKILL.md', file: 'skill://plain/../pdf/FORM.md' }, 'bad-answer'],
  ['the same in disguise', { skill: 'skill://plain/SKILL.md', file: 'skill://plain/%2e%2e/pdf/FORM.md' }, 'bad-answer'],
  ['a skill that there is not', { skill: 'pdff', file: 'x' }, 'unknown-resource'],
])('%s is not read', async (_, request, code) => {
  expect(await scene.readSkillFile({ server, ...request })).toMatchObject({ ok: false, error: { code } });
});

const bomb = `a: &a [1]\n${'bcdefgh'.replaceAll(/./gu, (key, at: number) => `${key}: &${key} [${`*${'abcdefgh'[at]},`.repeat(9)}]\n`)}`;
test.each([
  ['name: x\nversion: 2026-01-01\n', { value: { name: 'x', version: '2026-01-01' } }],
  ['', { value: {} }],
  ['- a', { reason: 'it has no fields with names' }],
  ['a: [', { reason: expect.stringContaining('it is not YAML') as string }],
  ['a: !!js/function x', { value: { a: 'x' } }],
  [bomb, { reason: expect.any(String) as string }],
  [`a: ${'['.repeat(5_000)}`, { reason: expect.any(String) as string }],
  ['a'.repeat(8_001), { reason: 'it has more than 8000 characters' }],
])('the head %j is taken for what it is', async (text, expected) => {
  expect(await parseYamlFields(text)).toEqual(expected);
});
