import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openBrowser } from './open-browser.js';

interface Delegate {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** How the browser was started. */
  opened(): { readonly args: string[]; readonly env: string[] } | undefined;
}

/** A folder that is all of PATH, with programs of these names that record how they were started. */
function openDelegate(names: readonly string[], exit = 0): Delegate {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-browser-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const note = join(folder, 'opened.json');
  const script = `#!${process.execPath}
require('node:fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify({ args: process.argv.slice(2), env: Object.keys(process.env) }));
process.exit(${exit});
`;
  for (const name of names) writeFileSync(join(folder, name), script, { mode: 0o755 });
  return {
    folder,
    env: { PATH: folder, HOME: folder },
    opened: () =>
      existsSync(note) ? (JSON.parse(readFileSync(note, 'utf8')) as { args: string[]; env: string[] }) : undefined,
  };
}

const page = 'https://login.test/authorize?client_id=a&state=b';
const linux = { platform: 'linux' } as const;

describe.skipIf(process.platform === 'win32')('on a desktop', () => {
  test('a page reaches the browser as one argument, and no secret of the host goes with it', async () => {
    const delegate = openDelegate(['xdg-open']);
    const env = { ...delegate.env, DISPLAY: ':0', API_TOKEN: 'secret', BROWSER: 'sh -c "touch pwned" %s' };
    expect(await openBrowser(page, { env, ...linux })).toBe(true);
    expect(delegate.opened()?.args).toEqual([page]);
    expect(delegate.opened()?.env).toContain('DISPLAY');
    expect(delegate.opened()?.env).not.toContain('API_TOKEN');
    expect(delegate.opened()?.env).not.toContain('BROWSER');
  });

  test('what a shell would act on arrives as text', async () => {
    const delegate = openDelegate(['xdg-open']);
    const env = { ...delegate.env, WAYLAND_DISPLAY: 'wayland-0' };
    expect(await openBrowser('https://login.test/$(id)`id`;x|y?a=$(id)', { env, ...linux })).toBe(true);
    expect(delegate.opened()?.args).toEqual(['https://login.test/%24%28id%29%60id%60%3Bx%7Cy?a=%24%28id%29']);
  });

  test("the user's own choice of a browser is started, over ssh as well", async () => {
    const delegate = openDelegate(['firefox', 'xdg-open']);
    const env = {
      ...delegate.env,
      BROWSER: join(delegate.folder, 'firefox'),
      SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22',
    };
    expect(await openBrowser(page, { env, ...linux })).toBe(true);
    expect(delegate.opened()?.args).toEqual([page]);
  });

  test('a browser that fails is told from one that opens', async () => {
    const delegate = openDelegate(['xdg-open'], 3);
    expect(await openBrowser(page, { env: { ...delegate.env, DISPLAY: ':0' }, ...linux })).toBe(false);
    expect(delegate.opened()?.args).toEqual([page]);
  });
});

describe('nothing is started', () => {
  test.each<[title: string, env: Record<string, string>, url?: string]>([
    ['without a screen', {}],
    ['over ssh, where the screen is another one', { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    ['when the chosen browser does not exist', { DISPLAY: ':0', BROWSER: 'none' }],
    ['for a file', { DISPLAY: ':0' }, 'file:///etc/passwd'],
    ['for a script', { DISPLAY: ':0' }, 'javascript:alert(1)'],
    ['for an option of the browser', { DISPLAY: ':0' }, '--profile=/tmp'],
  ])('%s', async (_, env, url = page) => {
    const delegate = openDelegate(['xdg-open']);
    expect(await openBrowser(url, { env: { ...delegate.env, ...env }, ...linux })).toBe(false);
    expect(delegate.opened()).toBeUndefined();
  });

  test('when there is no program to open pages with', async () => {
    const delegate = openDelegate([]);
    expect(await openBrowser(page, { env: { ...delegate.env, DISPLAY: ':0' }, ...linux })).toBe(false);
  });

  test('on Windows without a system folder', async () => {
    expect(await openBrowser(page, { env: {}, platform: 'win32' })).toBe(false);
  });
});
