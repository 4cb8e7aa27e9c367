import { expect, test } from 'vitest';
import { isWithin } from '../files/path-within.js';
import { type SandboxPlan, splitEnvironment, toSandboxArguments } from './sandbox-arguments.js';

const plain: SandboxPlan = {
  network: false,
  cwd: '/home/me/app',
  write: [],
  show: [],
  own: ['/tmp', '/run'],
  links: [],
  homes: [],
  hidden: [],
  revealed: [],
  sockets: [],
  unixSockets: false,
  variables: {},
  isRoot: false,
};

/** The mounts of a plan: bubblewrap's option and the path in the sandbox. */
function mountsOf(plan: Partial<SandboxPlan>): string[] {
  const words = toSandboxArguments({ ...plain, ...plan });
  const arities = {
    '--ro-bind': 2,
    '--ro-bind-try': 2,
    '--bind-try': 2,
    '--bind': 2,
    '--symlink': 2,
    '--tmpfs': 1,
    '--dev': 1,
    '--proc': 1,
    '--remount-ro': 1,
  };
  return words.flatMap((word, index) => {
    const arity = arities[word as keyof typeof arities];
    return arity === undefined ? [] : [`${word.slice(2)} ${words[index + arity]}`];
  });
}

test('a server sees everything read-only, and has its own /tmp, /dev, /proc and /run', () => {
  expect(mountsOf({})).toEqual(['ro-bind /', 'dev /dev', 'proc /proc', 'tmpfs /run', 'tmpfs /tmp']);
});

test.each<[what: string, plan: Partial<SandboxPlan>, mounts: readonly string[]]>([
  [
    'what may be written comes after the folder that it lies in',
    { write: ['/tmp/a/b', '/home/me/app', '/tmp/a'] },
    [
      'ro-bind /',
      'dev /dev',
      'bind /home/me/app',
      'proc /proc',
      'tmpfs /run',
      'tmpfs /tmp',
      'bind /tmp/a',
      'bind /tmp/a/b',
    ],
  ],
  [
    'a file system that may be written keeps the rest apart',
    { write: ['/'] },
    ['ro-bind /', 'bind /', 'dev /dev', 'proc /proc', 'tmpfs /run', 'tmpfs /tmp'],
  ],
  [
    'a /tmp that may be written is the machine’s own',
    { write: ['/tmp'] },
    ['ro-bind /', 'dev /dev', 'proc /proc', 'tmpfs /run', 'tmpfs /tmp', 'bind /tmp'],
  ],
  [
    'where it runs is there, also in /tmp',
    { show: ['/tmp/app'] },
    ['ro-bind /', 'dev /dev', 'proc /proc', 'tmpfs /run', 'tmpfs /tmp', 'ro-bind /tmp/app'],
  ],
  [
    'what is hidden is so whatever may be written',
    {
      write: ['/home/me', '/home/me/.config'],
      hidden: [{ path: '/home/me/.config/plugboard', isFolder: true }],
      sockets: ['/srv/docker.sock'],
    },
    [
      'ro-bind /',
      'dev /dev',
      'bind /home/me',
      'bind /home/me/.config',
      'proc /proc',
      'tmpfs /run',
      'tmpfs /tmp',
      'tmpfs /home/me/.config/plugboard',
      'remount-ro /home/me/.config/plugboard',
      'ro-bind /srv/docker.sock',
    ],
  ],
  [
    'a home folder is made of what is in it, before what may be written there, and nothing is put into it',
    {
      homes: [{ path: '/home/me', entries: [{ path: '/home/me/app' }, { path: '/home/me/link', target: '/x' }] }],
      write: ['/home/me/app/out'],
      revealed: ['/home/me/.ssh/known_hosts'],
    },
    [
      'ro-bind /',
      'dev /dev',
      'tmpfs /home/me',
      'ro-bind-try /home/me/app',
      'symlink /home/me/link',
      'ro-bind-try /home/me/.ssh/known_hosts',
      'remount-ro /home/me',
      'bind /home/me/app/out',
      'proc /proc',
      'tmpfs /run',
      'tmpfs /tmp',
    ],
  ],
  [
    'a file that is hidden cannot be read; what was named in a hidden folder is there',
    {
      hidden: [
        { path: '/home/me/dotfiles/npmrc', isFolder: false },
        { path: '/home/me/.config/gh', isFolder: true },
      ],
      revealed: ['/home/me/.config/gh/hosts.yml'],
    },
    [
      'ro-bind /',
      'dev /dev',
      'proc /proc',
      'tmpfs /run',
      'tmpfs /tmp',
      'tmpfs /home/me/.config/gh',
      'ro-bind-try /home/me/.config/gh/hosts.yml',
      'remount-ro /home/me/.config/gh',
      'ro-bind /home/me/dotfiles/npmrc',
    ],
  ],
  [
    'a socket that the entry names is there',
    { write: ['/srv/docker.sock'], sockets: ['/srv/docker.sock'] },
    ['ro-bind /', 'dev /dev', 'proc /proc', 'tmpfs /run', 'bind /srv/docker.sock', 'tmpfs /tmp'],
  ],
  [
    'links of /run stay',
    { links: [{ path: '/run/current-system', target: '/nix/store/x' }] },
    ['ro-bind /', 'dev /dev', 'proc /proc', 'tmpfs /run', 'symlink /run/current-system', 'tmpfs /tmp'],
  ],
  [
    'root cannot write to /proc either',
    { isRoot: true },
    ['ro-bind /', 'dev /dev', 'proc /proc', 'remount-ro /proc', 'tmpfs /run', 'tmpfs /tmp'],
  ],
])('%s', (_, plan, mounts) => expect(mountsOf(plan)).toEqual(mounts));

test('there is no network unless asked for, and never a capability or another process', () => {
  const off = toSandboxArguments(plain);
  const on = toSandboxArguments({ ...plain, network: true });
  expect(off.filter((word) => !on.includes(word))).toEqual(['--unshare-net']);
  for (const words of [off, on]) {
    expect(words).toEqual(expect.arrayContaining(['--die-with-parent', '--unshare-pid', '--unshare-ipc']));
    expect(words.join(' ')).toContain('--cap-drop ALL');
    expect(words.slice(-2)).toEqual(['--chdir', '/home/me/app']);
  }
});

test('a folder is not taken for another whose name begins alike', () => {
  const cases = [
    ['/tmp', '/tmp', true],
    ['/tmp/a', '/tmp', true],
    ['/tmpx', '/tmp', false],
    ['/', '/tmp', false],
    ['/a', '/', true],
  ] as const;
  expect(cases.map(([path, folder]) => isWithin(path, folder))).toEqual(cases.map(([, , expected]) => expected));
});

test('a variable that makes programs load code acts on the server alone; a secret is on no command line', () => {
  const env = {
    LD_PRELOAD: '/x.so',
    BASH_ENV: '/x',
    ENV: '/x',
    SHELLOPTS: 'xtrace',
    PS4: '$(x)',
    TOKEN: 't',
    PATH: '/bin',
  };
  const { outer, inner } = splitEnvironment(env);
  expect(outer).toEqual({ TOKEN: 't', PATH: '/bin' });
  expect({ ...outer, ...inner }).toEqual(env);
  const words = toSandboxArguments({ ...plain, variables: inner }).join(' ');
  expect(words).toContain('--setenv LD_PRELOAD /x.so');
});
