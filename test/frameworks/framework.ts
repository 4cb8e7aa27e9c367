import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const INSTALL_LIMIT = 600_000;
const OUTPUT_LIMIT = 16_777_216;

/** A framework in a folder of its own, with the packed package beside it, and a folder for programs that use both. */
export interface Framework extends Disposable {
  readonly folder: string;
  /** Runs a check of this folder; resolves with what it reports, by name. `node`: the program to run it with. */
  readonly check: (name: string, node?: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Runs an example of examples/frameworks with a model at this URL, as its user does. */
  readonly runExample: (options: ExampleOptions) => Promise<{ readonly stdout: string; readonly journal: string[] }>;
  /** The errors of the compiler in a program of this folder, and in our own adapter. */
  readonly typeErrors: (options: TypeOptions) => Promise<string>;
}

export interface ExampleOptions {
  readonly example: string;
  readonly url: string;
  readonly node?: string | undefined;
}

export interface TypeOptions {
  readonly program: string;
  readonly resolution: 'nodenext' | 'bundler';
}

/** Installs a framework if needed. */
export async function openFramework(name: string): Promise<Framework> {
  const own = join(import.meta.dirname, name);
  await install(own);
  await installPacked(own);
  return toFramework(join(own, 'node_modules'));
}

/** The framework that is installed for the tests of this repository anyway, with the build of this repository. */
export function openRootFramework(): Framework {
  return toFramework(join(root, 'node_modules'), root);
}

function toFramework(modules: string, plugboard?: string): Framework {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-framework-'));
  if (plugboard === undefined) symlinkSync(modules, join(folder, 'node_modules'));
  const programs = plugboard === undefined ? folder : import.meta.dirname;
  for (const file of ['desk-server.mjs', 'desk.mjs']) copyFileSync(join(import.meta.dirname, file), join(folder, file));
  return {
    folder,
    check: async (name, node = process.execPath) => {
      if (programs === folder) copyFileSync(join(import.meta.dirname, `${name}.mjs`), join(folder, `${name}.mjs`));
      const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' };
      const { stdout } = await run(node, [join(programs, `${name}.mjs`)], { env, maxBuffer: OUTPUT_LIMIT });
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    runExample: (options) => runExample(options, { folder, home: programs === folder ? folder : root }),
    typeErrors: (options) => typeErrors(folder, options),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** `home`: where the examples are, or are copied to, beside the framework's packages. */
async function runExample(
  { example, url, node = process.execPath }: ExampleOptions,
  { folder, home }: { readonly folder: string; readonly home: string },
): Promise<{ readonly stdout: string; readonly journal: string[] }> {
  if (home === folder)
    for (const part of ['examples', 'demo']) cpSync(join(root, part), join(home, part), { recursive: true });
  const journal = join(folder, 'journal');
  writeFileSync(journal, '');
  const desk = { command: process.execPath, args: [join(folder, 'desk-server.mjs')], env: { JOURNAL: journal } };
  const config = JSON.stringify({ mcpServers: { desk } });
  const args = [join(home, `examples/frameworks/${example}.mjs`), '--yes', '--mcp-config', config, 'Write to Ann'];
  const env = { PATH: process.env['PATH'], HOME: folder, OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url };
  const { stdout } = await run(node, args, { cwd: folder, env, maxBuffer: OUTPUT_LIMIT });
  return { stdout, journal: readFileSync(journal, 'utf8').split('\n').filter(Boolean) };
}

async function install(folder: string): Promise<void> {
  const [lock, installed] = [join(folder, 'package-lock.json'), join(folder, 'node_modules/.package-lock.json')];
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  process.stderr.write(`Installing the packages of ${folder} (once) ...\n`);
  const args = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
  await run('npm', args, { cwd: folder, timeout: INSTALL_LIMIT, maxBuffer: OUTPUT_LIMIT });
}

/** As users get it: only the files of the package. */
async function installPacked(folder: string): Promise<void> {
  const packed = mkdtempSync(join(tmpdir(), 'plugboard-packed-'));
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', packed];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: OUTPUT_LIMIT });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const target = join(folder, 'node_modules/plugboard');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await run('tar', ['-xzf', join(packed, filename), '-C', target, '--strip-components=1']);
  rmSync(packed, { recursive: true, force: true });
}

/** Compiles a program of a user, and our adapters as they are written, with the framework's own types. */
async function typeErrors(folder: string, { program, resolution }: TypeOptions): Promise<string> {
  copyFileSync(join(import.meta.dirname, program), join(folder, program));
  for (const room of ['adapters', 'base', 'model']) {
    cpSync(join(root, 'src', room), join(folder, 'src', room), {
      recursive: true,
      filter: (file) => !file.endsWith('.test.ts'),
    });
  }
  writeFileSync(join(folder, 'src/index.ts'), "export type * from 'plugboard';\n");
  const module = resolution === 'nodenext' ? 'NodeNext' : 'ESNext';
  const adapter = program.replace(/(-\d)?\.types\.ts$/, '.ts');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noUncheckedIndexedAccess: true,
        target: 'ES2023',
        lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
        module,
        moduleResolution: resolution,
        noEmit: true,
        // The frameworks' own declarations do not all compile: see the consumers' tests for ours.
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: [program, `src/adapters/${adapter}`],
    }),
  );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  try {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      maxBuffer: OUTPUT_LIMIT,
    });
    return '';
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
