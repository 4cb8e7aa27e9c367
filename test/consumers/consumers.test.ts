import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProject, packPackage } from './project.js';

const OURS = join(import.meta.dirname, '../../node_modules');
const INSTALLED = join(import.meta.dirname, 'node_modules');
const COMPILER = 'typescript/bin/tsc';

let packed: string;
beforeAll(() => {
  packed = packPackage();
});
afterAll(() => rmSync(dirname(packed), { recursive: true, force: true }));

test.each([
  ['none.ts', []],
  ['anthropic.ts', ['@anthropic-ai/sdk']],
  ['openai.ts', ['openai']],
])('%s compiles against the packed package, and checks the types of its libraries', (program, packages) => {
  using project = openProject(packed);
  for (const name of ['@types/node', 'undici-types', ...packages]) project.link(OURS, name);
  expect(project.compile({ program, compiler: join(OURS, COMPILER), module: 'NodeNext' })).toBe('');
});

/** With the newest packages, each alone, both compilers and both ways of resolving modules. */
describe.runIf(process.env['PLUGBOARD_FULL'] !== undefined)('every consumer', () => {
  beforeAll(() => {
    if (existsSync(join(INSTALLED, 'openai'))) return;
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const { status, stderr } = spawnSync('npm', args, { cwd: import.meta.dirname, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The packages of test/consumers are not installed:\n${stderr}`);
  }, 600_000);

  const programs = [
    ['none.ts', []],
    ['anthropic.ts', ['@anthropic-ai/sdk']],
    ['openai.ts', ['openai']],
    ['gemini.ts', ['@google/genai']],
  ] as const;
  const cases = programs.flatMap(([program, packages]) =>
    ['typescript-5', 'typescript-7'].flatMap((compiler) =>
      (['NodeNext', 'ESNext'] as const).map((module) => ({ program, packages, compiler, module })),
    ),
  );

  test.each(cases)(
    '$program compiles with $compiler and $module',
    ({ program, packages, compiler, module }) => {
      using project = openProject(packed);
      for (const name of ['@types/node', 'undici-types', ...packages]) project.link(INSTALLED, name);
      expect(project.compile({ program, compiler: join(INSTALLED, compiler, 'bin/tsc'), module })).toBe('');
    },
    120_000,
  );
});
