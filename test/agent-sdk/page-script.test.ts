import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blocksOf, root } from '../docs/page-scene.js';
import { anthropicDialect } from '../fixtures/anthropic-dialect.js';
import { openScriptedApi } from '../fixtures/scripted-api.js';
import { call, MODEL_ENV, resultOf, say } from '../program/prompt-scene.js';
import { findAgentSdk } from './agent-sdk.js';
import { PROGRAM } from './drive.js';

const sdk = await findAgentSdk();
const run = promisify(execFile);
const [script = { code: '' }] = blocksOf('docs/agent-sdks.md').filter(({ language }) => language === 'ts');

describe.skipIf(!sdk)('the script of the page about agent SDKs', () => {
  test('compiles with the types of the package', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    writeFileSync(join(folder, 'ask.ts'), script.code);
    const compiled = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    expect(await compiled.catch((error: { readonly stdout: string }) => error)).toMatchObject({ stdout: '' });
  });

  test('asks the model, decides about its calls, and prints the answer', async () => {
    const folder = makeFolder();
    const calls = ['read_graph', 'create_entities', 'delete_entities'];
    const turns = calls.map((tool) => [call(`mcp__memory__${tool}`, INPUT, tool)]);
    await using api = await openScriptedApi(anthropicDialect, (turn) => turns[turn - 1] ?? say('Nothing yet.'));
    const env = {
      ...MODEL_ENV,
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      ANTHROPIC_BASE_URL: api.url,
    };
    writeFileSync(join(folder, 'ask.mjs'), script.code);
    const { stdout } = await run(process.execPath, ['ask.mjs'], { cwd: folder, env });
    expect(stdout.split('\n')).toEqual([
      'The model is scripted',
      'Asked about mcp__memory__read_graph',
      'Asked about mcp__memory__create_entities',
      'Nothing yet.',
      '',
    ]);
    expect(resultOf(api, 'read_graph')).toMatchObject({ is_error: false });
    expect(JSON.stringify(resultOf(api, 'create_entities'))).toContain('This script only reads');
    expect(JSON.stringify(resultOf(api, 'delete_entities'))).toContain('Nothing is deleted');
  });
});

/** A folder as the page has it made: with the package, `plugboard` on the PATH, and the server that npx would fetch. */
function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-page-script-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(PROGRAM, join(folder, 'bin/plugboard'));
  const server = join(root, 'node_modules/.bin/mcp-server-memory');
  writeFileSync(join(folder, 'bin/npx'), `#!/bin/sh\nexec '${server}'\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Fits each of the three tools, so that only the script can refuse a call. */
const INPUT = { entities: [], entityNames: [] };
const CONFIG = {
  compilerOptions: {
    strict: true,
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    module: 'NodeNext',
    noEmit: true,
    // The package's own declarations do not all compile.
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  files: ['ask.ts'],
};
