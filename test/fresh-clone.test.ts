import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const source = resolve(import.meta.dirname, '..');

/** Installs all tools, builds, and builds the site: minutes, so only the full run does it. */
describe.runIf(process.env['PLUGBOARD_FULL'] !== undefined)('in a fresh clone', () => {
  let root: string;
  let clone: string;
  let env: Record<string, string>;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'plugboard-clone-'));
    clone = join(root, 'clone');
    execFileSync('git', ['clone', '--quiet', source, clone]);
    mkdirSync(join(root, 'home'));
    env = { PATH: process.env['PATH']!, HOME: join(root, 'home') };
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('npm pack is the only command before a package that works', () => {
    // npm's own configuration is that of the machine; the program below has an empty home.
    execFileSync('npm', ['pack'], { cwd: clone, stdio: ['ignore', 'ignore', 'ignore'] });
    const tarball = readdirSync(clone).find((file) => file.endsWith('.tgz'))!;
    const project = join(root, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    const install = ['i', '--omit=optional', '--no-audit', '--no-fund', join(clone, tarball)];
    execFileSync('npm', install, { cwd: project, stdio: ['ignore', 'ignore', 'ignore'] });
    const plugboard = join(project, 'node_modules/.bin/plugboard');
    const server = ['--', process.execPath, join(clone, 'demo/servers/notes.mjs')];
    const call = spawnSync(plugboard, ['call', 'list_notes', ...server], { cwd: project, env, encoding: 'utf8' });
    expect([call.status, call.stdout]).toEqual([0, 'bread\ncoffee\n']);
    for (const file of ['schema/mcp.schema.json', 'docs/troubleshooting.md', 'SECURITY.md'])
      expect(existsSync(join(project, 'node_modules/plugboard', file))).toBe(true);
  });

  test('npm run docs builds a site that loads nothing from elsewhere, and changes no file of the clone', () => {
    execFileSync('npm', ['run', 'docs'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
    const site = join(clone, 'docs/.vitepress/dist');
    const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'docs/commands.html', 'docs/api/index.html']));
    const foreign = /<(?:script|link|img)[^>]+(?:src|href)="https?:/u;
    expect(pages.filter((file) => foreign.test(readFileSync(join(site, file), 'utf8')))).toEqual([]);
    expect(
      execFileSync('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: clone, encoding: 'utf8' }),
    ).toBe('');
  });
});
