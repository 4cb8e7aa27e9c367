import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newOwner } from '../../src/edge/files/lock-owner.js';
import { makeSandbox, NOW, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

const STATE = 'home/.local/state/plugboard';
const CONFIG = 'home/.config/plugboard';
const secret = { command: 'node', env: { API_KEY: 'hunter2-and-more' } };

/** The owner of a lock whose process has ended: no system has such a pid. */
const gone = newOwner().id.replace(/^\d+/u, '4194999');

function untidy(): Sandbox {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { one: secret } },
    [PROJECT_FILE]: { mcpServers: { shared: secret } },
    [`${STATE}/credentials/a.json`]: {},
    [`${STATE}/needs-auth/old.json`]: {},
    [`${STATE}/needs-auth/new.json`]: {},
    [`${CONFIG}/config.json.${gone}.tmp`]: 'half',
    [`${CONFIG}/config.json.${newOwner().id}.tmp`]: 'half, and still being written',
    [`${CONFIG}/config.json.lock/${gone}`]: '',
    [`${CONFIG}/other.json.lock/${newOwner().id}`]: '',
    [`home/code/app/.mcp.json.lock/${gone}`]: '',
  });
  const at = (path: string): string => join(sandbox.root, path);
  for (const path of [STATE, `${STATE}/credentials`]) chmodSync(at(path), 0o755);
  for (const path of [USER_FILE, PROJECT_FILE, `${STATE}/credentials/a.json`]) chmodSync(at(path), 0o644);
  utimesSync(at(`${STATE}/needs-auth/old.json`), NOW, new Date(NOW.getTime() - 3_600_000));
  utimesSync(at(`${STATE}/needs-auth/new.json`), NOW, NOW);
  writeFileSync(at('home/precious'), 'mine', { mode: 0o644 });
  symlinkSync(at('home/precious'), at(`${STATE}/credentials/link.json`));
  return sandbox;
}

const modeOf = ({ root }: Sandbox, path: string): string => (statSync(join(root, path)).mode & 0o777).toString(8);

interface Data {
  readonly fixed: readonly { readonly code: string; readonly file: string }[];
  readonly unfixed: readonly unknown[];
  readonly findings: readonly { readonly code: string }[];
  readonly dryRun?: boolean;
}

const expected = [
  ['permissions', 'HOME/.local/state/plugboard'],
  ['permissions', 'HOME/.local/state/plugboard/credentials'],
  ['permissions', 'HOME/.local/state/plugboard/credentials/a.json'],
  ['permissions', 'HOME/.config/plugboard/config.json'],
  ['leftover', `HOME/.config/plugboard/config.json.${gone}.tmp`],
  ['stale-lock', 'HOME/.config/plugboard/config.json.lock'],
  ['expired-cache', 'HOME/.local/state/plugboard/needs-auth'],
];

test('--fix repairs what is safe, names each thing, and touches nothing of a repository or of a running process', async () => {
  const sandbox = untidy();
  const { json } = await sandbox.run(['doctor', '--fix', '--no-connect', '--json']);
  const { fixed, unfixed, dryRun, findings } = json!.data as unknown as Data;
  expect([fixed.map(({ code, file }) => [code, file]), unfixed, dryRun]).toEqual([expected, [], undefined]);
  expect(
    [STATE, `${STATE}/credentials`, USER_FILE, `${STATE}/credentials/a.json`].map((path) => modeOf(sandbox, path)),
  ).toEqual(['700', '700', '600', '600']);
  expect([PROJECT_FILE, 'home/precious'].map((path) => modeOf(sandbox, path))).toEqual(['644', '644']);
  expect(
    readdirSync(join(sandbox.root, CONFIG))
      .filter((name) => name !== 'config.json')
      .toSorted(),
  ).toEqual([expect.stringMatching(/^config\.json\.\d+-.*\.tmp$/u), 'other.json.lock']);
  expect(readdirSync(join(sandbox.root, 'home/code/app/.mcp.json.lock'))).toEqual([gone]);
  expect(readdirSync(join(sandbox.root, STATE, 'needs-auth'))).toEqual(['new.json']);
  expect(findings.some(({ code }) => code === 'readable-secret')).toBe(false);
  const again = await sandbox.run(['doctor', '--fix', '--no-connect', '--json']);
  expect((again.json!.data as unknown as Data).fixed).toEqual([]);
});

test('--dry-run says what --fix would do, and changes nothing', async () => {
  const sandbox = untidy();
  const before = sandbox.files();
  const { json } = await sandbox.run(['doctor', '--fix', '--dry-run', '--no-connect', '--json']);
  const { fixed, dryRun } = json!.data as unknown as Data;
  expect([fixed.map(({ code, file }) => [code, file]), dryRun]).toEqual([expected, true]);
  expect([sandbox.files(), modeOf(sandbox, STATE), modeOf(sandbox, USER_FILE)]).toEqual([before, '755', '644']);
  const { stdout } = await sandbox.run(['doctor', '--fix', '--dry-run', '--no-connect']);
  expect(stdout).toContain(
    '○ would fix: the folder HOME/.local/state/plugboard is open to other users (mode 755, should be 700)\n',
  );
});

test('what is left to the user is named with its command', async () => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { theirs: { command: 'x' } } } });
  mkdirSync(join(sandbox.root, STATE), { recursive: true });
  chmodSync(join(sandbox.root, STATE), 0o700);
  const { stdout } = await sandbox.run(['doctor', '--fix', '--no-connect']);
  expect(stdout).toMatch(/^Nothing to fix\nThe rest is left to you:\n[\s\S]*plugboard approve theirs/u);
});

test('--dry-run alone is a mistake', async () => {
  const { code, stderr } = await makeSandbox().run(['doctor', '--dry-run']);
  expect([code, stderr]).toEqual([2, 'error: --dry-run goes with --fix\n  → plugboard doctor --fix --dry-run\n']);
});

test('--fix touches nothing behind a folder that is a link', async () => {
  const sandbox = makeSandbox({ [`${STATE}/here.json`]: {}, 'home/mine/important.json': {} });
  const file = join(sandbox.root, 'home/mine/important.json');
  chmodSync(file, 0o644);
  utimesSync(file, NOW, new Date(0));
  for (const folder of ['credentials', 'needs-auth']) {
    symlinkSync(join(sandbox.root, 'home/mine'), join(sandbox.root, STATE, folder));
  }
  await sandbox.run(['doctor', '--fix', '--no-connect', '--json']);
  expect(readdirSync(join(sandbox.root, 'home/mine'))).toEqual(['important.json']);
  expect(modeOf(sandbox, 'home/mine/important.json')).toBe('644');
});
