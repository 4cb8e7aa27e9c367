import { expect, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { openWorkshop } from '../processes/process-fixtures.js';
import { SandboxHost } from './sandbox.js';
import { explainRefusal, installCommand, type NamespaceFacts, probeSandbox } from './sandbox-probe.js';

test('a machine without bubblewrap is told, with what to install', async () => {
  const ability = await probeSandbox({ env: { PATH: '/no/such' }, platform: 'linux', network: false });
  expect(ability).toMatchObject({
    kind: 'unable',
    reason: 'bubblewrap is not installed: there is no program "bwrap" on PATH',
    hint: expect.stringContaining('bubblewrap'),
  });
});

test.each(['darwin', 'win32'] as const)('%s has no bubblewrap at all, and that is told', async (platform) => {
  const ability = await probeSandbox({ env: process.env, platform, network: false });
  expect(ability).toMatchObject({ kind: 'unable', reason: expect.stringContaining(`this is ${platform}`) });
});

test('a bubblewrap that is not allowed to work is told in its own words, and asked again the next time', async () => {
  using workshop = openWorkshop();
  workshop.script('#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1', 'bwrap');
  const host = new SandboxHost({ env: { PATH: workshop.folder, HOME: workshop.folder }, platform: 'linux' });
  const start = { name: 'db', command: '/bin/sh', args: [], cwd: '/', env: {} };
  const whole = { ...start, clock: undefined as never, registry: workshop.registry };
  const error: unknown = await host.start(whole, {}).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HostError);
  expect(error).toMatchObject({
    code: 'sandbox-unavailable',
    message: `Server "db" cannot run in a sandbox: bubblewrap (${workshop.folder}/bwrap) cannot make a sandbox without network here: bwrap: No permissions to create new namespace`,
  });
  workshop.script('#!/bin/sh\necho ok', 'bwrap');
  expect(await host.ability({ network: false })).toMatchObject({ kind: 'able', resetsSignals: false });
  workshop.script('#!/bin/sh\nexit 1', 'bwrap');
  expect(await host.ability({ network: false })).toMatchObject({ kind: 'able' });
  expect(await host.ability({ network: true })).toMatchObject({ kind: 'unable' });
});

const facts: NamespaceFacts = {
  isRoot: false,
  isContainer: false,
  unprivileged: '',
  most: '63000',
  appArmor: '',
};

test.each<[what: string, facts: Partial<NamespaceFacts>, hint: RegExp]>([
  ['no user namespaces', { most: '0' }, /user\.max_user_namespaces=/u],
  ['none for users', { unprivileged: '0' }, /kernel\.unprivileged_userns_clone=1/u],
  ['AppArmor', { appArmor: '1' }, /AppArmor profile/u],
  ['a container', { isContainer: true }, /SYS_ADMIN/u],
  ['a container, as root', { isContainer: true, isRoot: true, appArmor: '1' }, /SYS_ADMIN/u],
  ['nothing that is known', {}, /^See what bubblewrap says: \/usr\/bin\/bwrap /u],
])('what to change where there is %s', (_, given, hint) => {
  expect(explainRefusal({ ...facts, ...given }, '/usr/bin/bwrap')).toMatch(hint);
});

test.each([
  ['PRETTY_NAME="Debian"\nID=debian\n', 'apt-get install bubblewrap'],
  ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', 'apt-get install bubblewrap'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'dnf install bubblewrap'],
  ['ID=alpine', 'apk add bubblewrap'],
  ['ID=unheard-of', 'apt-get install bubblewrap (or the package "bubblewrap" of your system)'],
  ['', 'apt-get install bubblewrap (or the package "bubblewrap" of your system)'],
])('the package is installed as the system does it: %s', (text, command) => {
  expect(installCommand(text)).toBe(command);
});
