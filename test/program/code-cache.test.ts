import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { placesOf } from '../../src/edge/directories.js';
import { copyProgram } from './sandbox.js';

let root: string;
let program: string;
let home: string;
let folder: string;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-cache-')));
  program = await copyProgram(root);
  writeFileSync(
    join(root, 'hook.cjs'),
    `const vm = require('node:vm');
     const { Script } = vm;
     const seen = [];
     vm.Script = class extends Script {
       constructor(source, options) {
         super(source, options);
         seen.push(options.cachedData === undefined ? 'none' : this.cachedDataRejected ? 'refused' : 'taken');
       }
     };
     if (process.env.OTHER_FLAGS) process.nextTick(() => require('node:v8').setFlagsFromString('--no-wasm-tier-up'));
     process.on('exit', () => require('node:fs').writeFileSync(process.env.REPORT, JSON.stringify(seen)));`,
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'));
  folder = join(home, '.cache/plugboard/code');
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether Node accepted the cached code of each bundle: `none`, `refused` or `taken`. */
  readonly forms: ReadonlySet<string>;
}

function node(args: readonly string[], env: NodeJS.ProcessEnv = {}): Ran {
  const report = join(home, 'report.json');
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      NODE_OPTIONS: `--require=${join(root, 'hook.cjs')}`,
      REPORT: report,
      ...env,
    },
    encoding: 'utf8',
  });
  const forms = new Set(JSON.parse(readFileSync(report, 'utf8')) as string[]);
  rmSync(report);
  return { code: status, stdout, stderr, forms };
}

const run = (words: readonly string[], env?: NodeJS.ProcessEnv): Ran => node([program, ...words], env);
const kept = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const keptFile = (): string => join(folder, kept()[0]!);
const LIST = ['list', '--no-connect', '--json'];

function importLibrary(env?: NodeJS.ProcessEnv): Ran {
  const door = JSON.stringify(pathToFileURL(join(dirname(program), 'lib/index.js')).href);
  const script = `import { Host } from ${door};
    const host = await Host.open({ strict: true, watch: false });
    console.log(host.tools().length);
    await host[Symbol.asyncDispose]();`;
  return node(['--input-type=module', '-e', script], env);
}

test.each([[['--help']], [LIST], [['list']], [['add', '--help']]])(
  'the second %j finds everything compiled, and writes nothing',
  (words) => {
    const first = run(words);
    expect([...first.forms]).toEqual(['none']);
    const { ino } = statSync(keptFile());
    const second = run(words);
    expect([second.stdout, second.stderr, second.code]).toEqual([first.stdout, first.stderr, first.code]);
    expect([[...second.forms], statSync(keptFile()).ino]).toEqual([['taken'], ino]);
  },
);

test('what one command compiled is there for the next one, whose own is added to it', () => {
  run(['--help']);
  expect(run(LIST).forms).toEqual(new Set(['taken', 'none']));
  expect(run(LIST).forms).toEqual(new Set(['taken']));
  expect(run(['--help']).forms).toEqual(new Set(['taken']));
});

/** The compiled form of each piece. */
function compiledForms(): ReadonlyMap<string, string> {
  const bytes = readFileSync(keptFile());
  const start = 8 + bytes.readUInt32LE(4);
  const { pieces } = JSON.parse(bytes.toString('utf8', 8, start)) as {
    readonly pieces: Readonly<Record<string, { readonly at: number; readonly size: number }>>;
  };
  return new Map(
    Object.entries(pieces).map(([piece, { at, size }]) => [
      piece,
      bytes.toString('latin1', start + at, start + at + size),
    ]),
  );
}

test('a command that needs more than before adds that, and leaves the rest as it was', () => {
  mkdirSync(join(home, '.config/plugboard'), { recursive: true });
  const file = join(home, '.config/plugboard/config.json');
  writeFileSync(file, '{ "mcpServers": { "off": { "command": "x", "disabled": true } } }');
  run(LIST);
  const before = compiledForms();
  writeFileSync(file, '{ "mcpServers": ');
  expect(run(LIST).forms).toEqual(new Set(['taken', 'none']));
  const after = compiledForms();
  expect([[...before].every(([piece, form]) => after.get(piece) === form), after.size > before.size]).toEqual([
    true,
    true,
  ]);
});

test('a program that changes the flags of V8 while it runs keeps what a later one can use', () => {
  run(LIST, { OTHER_FLAGS: '1' });
  expect(run(LIST, { OTHER_FLAGS: '1' }).forms).toEqual(new Set(['taken']));
});

test('another copy of the package takes what the first one compiled', () => {
  run(LIST);
  const { ino } = statSync(keptFile());
  const copy = join(home, 'other/dist');
  mkdirSync(dirname(copy));
  spawnSync('cp', ['-r', dirname(program), copy]);
  expect([...node([join(copy, 'plugboard.js'), ...LIST]).forms]).toEqual(['taken']);
  expect(statSync(keptFile()).ino).toBe(ino);
});

test('what was compiled without flags will do where flags are given that V8 does not know of', () => {
  const env = { PATH: process.env['PATH'], HOME: home };
  spawnSync(process.execPath, [program, ...LIST], { cwd: home, env });
  expect([[...run(LIST).forms], kept().length]).toEqual([['taken'], 1]);
});

test('V8 that is started with other flags has a compiled form of its own', () => {
  run(LIST);
  const { forms } = node(['--stack-size=900', program, ...LIST]);
  expect([[...forms], kept().length]).toEqual([['none'], 2]);
  expect(run(LIST).forms).toEqual(new Set(['taken']));
});

test('only the user can read what is kept', () => {
  run(LIST);
  const modes = [folder, keptFile()].map((path) => (statSync(path).mode & 0o777).toString(8));
  expect(modes).toEqual(['700', '600']);
});

test('the library writes nothing, and takes what the program has kept', () => {
  expect([importLibrary().stdout, readdirSync(home)]).toEqual(['0\n', []]);
  run(['list']);
  const before = readFileSync(keptFile());
  const { stdout, stderr, forms } = importLibrary();
  expect([stdout, stderr, forms.has('taken'), forms.has('refused')]).toEqual(['0\n', '', true, false]);
  expect([kept().length, readFileSync(keptFile()).equals(before)]).toEqual([1, true]);
});

test('a compiled form that is broken is never used, and made again', () => {
  const expected = run(LIST);
  const whole = readFileSync(keptFile());
  const flipped = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 0xff;
    return bytes;
  };
  const length = whole.readUInt32LE(4);
  const broken = new Map([
    ...[0, 4, 7, 12, 8 + length, 8 + length + 40, whole.length >> 1, whole.length - 1].map((at): [string, Buffer] => [
      `byte ${at} is another one`,
      flipped(at),
    ]),
    ...[0, 7, 8 + length, whole.length >> 1, whole.length - 1].map((size): [string, Buffer] => [
      `it ends after ${size} bytes`,
      whole.subarray(0, size),
    ]),
    [
      'the length of its index is absurd',
      Buffer.concat([whole.subarray(0, 4), Buffer.alloc(4, 0xff), whole.subarray(8)]),
    ],
  ]);
  const outcomes = [...broken].map(([what, bytes]) => {
    writeFileSync(keptFile(), bytes);
    const { stdout, stderr, code, forms } = run(LIST);
    return [
      what,
      stdout === expected.stdout,
      stderr,
      code,
      forms.has('none'),
      readFileSync(keptFile()).length > 100_000,
    ];
  });
  expect(outcomes).toEqual([...broken.keys()].map((what) => [what, true, '', 0, true, true]));
});

test('a program whose source was changed runs what is written there, of whatever length that is', () => {
  const copy = join(home, 'dist');
  spawnSync('cp', ['-r', dirname(program), copy]);
  const ask = (): string => node([join(copy, 'plugboard.js'), '--help']).stdout;
  expect(ask()).toContain('Add a server to your configuration');
  for (const name of readdirSync(join(copy, 'code'))) {
    const file = join(copy, 'code', name);
    const source = readFileSync(file, 'latin1');
    writeFileSync(file, source.replaceAll('Add a server to your', 'Adt a server to your'), 'latin1');
  }
  expect([ask(), ask()].map((text) => text.includes('Adt a server to your'))).toEqual([true, true]);
});

/** Cache files that another user could have planted. */
const foreign: Readonly<Record<string, () => void>> = {
  'a file that others may write to': () => chmodSync(keptFile(), 0o622),
  'a file that others may read, as out of a repository': () => chmodSync(keptFile(), 0o644),
  'a folder that others may write to': () => chmodSync(folder, 0o777),
  'a link to a file': () => {
    renameSync(keptFile(), join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), join(folder, 'x'));
    const [name] = namesBefore;
    renameSync(join(folder, 'x'), join(folder, name!));
  },
  'a link to a folder': () => {
    renameSync(folder, join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), folder);
  },
  'a named pipe': () => {
    const file = keptFile();
    rmSync(file);
    spawnSync('mkfifo', ['-m', '600', file]);
  },
  'a folder': () => {
    const file = keptFile();
    rmSync(file);
    mkdirSync(file);
  },
};
let namesBefore: readonly string[] = [];

test.each(Object.entries(foreign))('%s in the place of the compiled form is not used', (_, put) => {
  const expected = run(LIST);
  namesBefore = kept();
  put();
  const { stdout, stderr, code, forms } = run(LIST);
  expect([stdout, stderr, code, [...forms]]).toEqual([expected.stdout, '', 0, ['none']]);
});

test('what belongs to another user is neither used nor replaced, and root leaves nothing in a home of others', ({
  skip,
}) => {
  skip(process.geteuid?.() !== 0, 'only root can give files to somebody else');
  run(LIST);
  const file = keptFile();
  const before = readFileSync(file);
  chownSync(file, 12_345, 12_345);
  chownSync(folder, 12_345, 12_345);
  expect([[...run(LIST).forms], readFileSync(file).equals(before), kept().length]).toEqual([['none'], true, 1]);
  rmSync(join(home, '.cache'), { recursive: true });
  chownSync(home, 12_345, 12_345);
  expect([[...run(LIST).forms], readdirSync(home)]).toEqual([['none'], []]);
});

test.each<[string, () => NodeJS.ProcessEnv]>([
  ['a file is in the place of the cache folder', () => (writeFileSync(join(home, '.cache'), ''), {})],
  [
    'the cache folder lies in a repository',
    () => {
      mkdirSync(join(home, 'repository/.git'), { recursive: true });
      return { XDG_CACHE_HOME: join(home, 'repository/cache') };
    },
  ],
  ['the cache folder cannot be there', () => ({ XDG_CACHE_HOME: '/proc/nothing' })],
])('where %s nothing is kept and nothing said', (_, prepare) => {
  const env = prepare();
  const { stdout, stderr, code } = run(LIST, env);
  expect([stdout.startsWith('{"ok":true'), stderr, code]).toEqual([true, '', 0]);
  expect([[...run(LIST, env).forms], existsSync(join(home, 'repository/cache'))]).toEqual([['none'], false]);
});

test('a program that is told something wrong, or to leave, keeps nothing', () => {
  expect([run(['lsit']).code, run(['list', '--nonsense']).code, kept()]).toEqual([2, 2, []]);
});

test('programs that end at the same time leave one compiled form, whole', async () => {
  const env = { PATH: process.env['PATH'], HOME: home };
  const ends = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, [program, ...LIST], { cwd: home, env, stdio: 'ignore' });
    return new Promise((done) => child.on('close', done));
  });
  expect(await Promise.all(ends)).toEqual([0, 0, 0, 0, 0, 0]);
  expect([kept().length, [...run(LIST).forms]]).toEqual([1, ['taken']]);
});

test('of other versions only the last few are left, and nothing of a program that was killed', () => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f.1.tmp'].entries()) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), index, index);
  }
  writeFileSync(join(folder, 'g.2.tmp'), '');
  run(LIST);
  expect(kept().filter((name) => !name.startsWith('v'))).toEqual(['c', 'd', 'e', 'g.2.tmp']);
});

test('the compiled form lies in the folder in which everything else is cached', () => {
  const { toFolder } = createRequire(import.meta.url)(program) as {
    toFolder: (env: Readonly<Record<string, string | undefined>>, platform: string) => string | undefined;
  };
  const places = ['linux', 'darwin', 'win32'].flatMap((platform) =>
    [
      {},
      { HOME: '/home/me', USERPROFILE: 'C:\\me' },
      { HOME: 'relative', USERPROFILE: 'relative' },
      { HOME: '/home/me', XDG_CACHE_HOME: '/cache' },
      { HOME: '/home/me', XDG_CACHE_HOME: 'relative' },
      { USERPROFILE: 'C:\\me', LOCALAPPDATA: 'D:\\local' },
      { USERPROFILE: 'C:\\me', XDG_CACHE_HOME: 'E:\\cache' },
    ].map((env) => ({ env, platform: platform as NodeJS.Platform })),
  );
  const expected = places.map(({ env, platform }) => {
    const { cache } = placesOf({ env, platform });
    return cache && `${cache}${platform === 'win32' ? '\\' : '/'}code`;
  });
  expect(places.map(({ env, platform }) => toFolder(env, platform))).toEqual(expected);
});
