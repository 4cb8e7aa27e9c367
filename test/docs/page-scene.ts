import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { loadHostConfig } from '../../src/config/load.js';
import { openContext } from '../../src/config/context.js';
import { HANG_GUARD_MS } from '../hang-guard.js';
import { editorSays } from '../schema-agreement.js';

export const root = resolve(import.meta.dirname, '../..');

export interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** The code blocks of a page. Those that can run have the language sh, json or ts; `text` and `jsonc` do not run. */
export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gmsu)].map(([, language, code]) => ({
    page,
    language: language!,
    code: code!,
  }));
}

const ANSWER = 'Bread and coffee.';

/** What a reader has who follows a page from top to bottom: an empty home and a project. */
export class PageScene {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-page-')));
  readonly #project = join(this.#folder, 'project');
  readonly #env: Record<string, string> = {
    PATH: `${join(this.#folder, 'bin')}:${process.env['PATH']}`,
    HOME: join(this.#folder, 'home'),
    MCP_TIMEOUT: String(HANG_GUARD_MS),
    // Some servers of the pages do not exist. This dead proxy makes them fail at once, and npx is not to try again.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    ANTHROPIC_API_KEY: 'a-key',
  };
  #api: ChildProcess | undefined;
  /** The compiled examples, by their source. */
  examples: ReadonlyMap<string, string> = new Map();

  constructor() {
    const { HOME } = this.#env;
    const modules = join(this.#project, 'node_modules');
    for (const made of [HOME!, join(this.#folder, 'bin'), join(this.#project, '.git'), modules])
      mkdirSync(made, { recursive: true });
    symlinkSync(root, join(modules, 'plugboard'));
    // The packages that npx would fetch are installed already, and the program is on the PATH as `npm link` puts it there.
    symlinkSync(join(root, 'node_modules/@modelcontextprotocol'), join(modules, '@modelcontextprotocol'));
    symlinkSync(join(root, 'node_modules/.bin'), join(modules, '.bin'));
    symlinkSync(join(root, 'dist/plugboard.js'), join(this.#folder, 'bin/plugboard'));
    if (process.env['PLUGBOARD_FULL'] === undefined)
      writeFileSync(join(this.#folder, 'bin/npx'), INSTALLED_ONLY, { mode: 0o755 });
  }

  /** A model with one answer, as a separate process, because the commands here run synchronously. */
  async openModel(): Promise<void> {
    const script = join(this.#folder, 'turns.json');
    writeFileSync(script, JSON.stringify([[{ type: 'text', text: ANSWER }]]));
    const api = spawn(process.execPath, [join(root, 'test/fixtures/model-server.mjs'), '--script', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#api = api;
    this.#env['ANTHROPIC_BASE_URL'] = await new Promise<string>((done) => {
      api.stdout.once('data', (line: Buffer) => done(String(line).trim()));
    });
  }

  close(): void {
    this.#api?.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a block as its reader would. Returns what is wrong with it: '' for nothing. */
  async run({ language, code }: Block): Promise<string> {
    if (language === 'sh') return code.trim().split('\n').map(this.#runLine).join('');
    if (language === 'json') return this.#writeConfig(code);
    return language === 'ts' ? this.#runExample(code) : `A block of the language "${language}" does not run`;
  }

  readonly #runLine = (line: string): string => {
    const [command, ...words] = line.match(/'[^']*'|\S+/gu)!.map((word) => word.replace(/^'(.*)'$/u, '$1'));
    if (command === 'npm') {
      const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
      return Object.hasOwn(scripts, words.at(-1)!) ? '' : `There is no script for: ${line}`;
    }
    if (command !== 'plugboard') return `Not a command of Plugboard: ${line}`;
    // It goes on until it is interrupted, on a port that may be in use here.
    const isServing = words[0] === 'serve' && words.includes('--http');
    const args = words.map((word) => (isServing && word === '8931' ? '0' : word));
    const program = [join(root, 'dist/plugboard.js'), ...args];
    const run = spawnSync(process.execPath, isServing ? ['-e', UNTIL_SERVING, ...program] : program, {
      cwd: this.#project,
      env: this.#env,
      encoding: 'utf8',
    });
    // `doctor` reports programs that are not installed here, which is its result and not a failure.
    const isDone = run.status === 0 || (run.status === 3 && words[0] === 'doctor');
    return isDone ? '' : `${line}\n${run.stdout}${run.stderr}`;
  };

  /** A block of JSON is a whole file. Its fields say which one. Neither the loader nor the schema has a word against it. */
  async #writeConfig(code: string): Promise<string> {
    const value = JSON.parse(code) as object;
    const file =
      'settings' in value
        ? join(this.#env['HOME']!, '.config/plugboard/config.json')
        : join(this.#project, 'permissions' in value ? '.plugboard/settings.json' : '.mcp.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    const { problems, servers } = await loadHostConfig(openContext({ cwd: this.#project, env: this.#env }));
    const told = problems
      .filter((problem) => problem.file === file)
      .map(({ field, message }) => `${field}: ${message}`);
    const loaded = servers.filter(({ origin }) => origin === file).map(({ name }) => name);
    const named = 'mcpServers' in value ? Object.keys(value.mcpServers as object) : [];
    const unread = named.filter((name) => !loaded.includes(name)).map((name) => `${name} was not loaded`);
    return [...told, ...editorSays(file, value), ...unread].join('\n');
  }

  #runExample(code: string): string {
    writeFileSync(join(this.#project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(this.#project, 'example.js'), this.examples.get(code)!);
    const run = spawnSync(process.execPath, ['example.js'], { cwd: this.#project, env: this.#env, encoding: 'utf8' });
    const expected = code.includes('Conversation')
      ? `done ${ANSWER}`
      : code.includes('flowScenarios')
        ? 'error, has to be asked about: true'
        : code.includes('openGateway')
          ? '/mcp'
          : 'tools for the request';
    return run.status === 0 && run.stdout.includes(expected) ? '' : `${run.stdout}${run.stderr}`;
  }

  /** Compiles TypeScript examples in one run: each run takes half a second. Returns the compiler's complaints. */
  compile(examples: readonly Block[]): string {
    const names = examples.map(({ page }, at) => `${basename(page, '.md')}-${at}`);
    for (const [at, { code }] of examples.entries()) writeFileSync(join(this.#project, `${names[at]}.ts`), code);
    const config = {
      compilerOptions: {
        module: 'NodeNext',
        target: 'ES2022',
        strict: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: names.map((name) => `${name}.ts`),
    };
    writeFileSync(join(this.#project, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(this.#project, 'package.json'), '{ "type": "module" }');
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], {
      cwd: this.#project,
      env: this.#env,
      encoding: 'utf8',
    });
    const compiled = (at: number): string => readFileSync(join(this.#project, `${names[at]}.js`), 'utf8');
    if (stdout === '') this.examples = new Map(examples.map(({ code }, at) => [code, compiled(at)]));
    return stdout;
  }
}

/** Runs a program until it says that it serves, and interrupts it then: as a process, because the caller waits. */
const UNTIL_SERVING = `
  const child = require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
    // A second signal would end it at once.
    if (!child.killed && said.includes('Serving on')) child.kill('SIGTERM');
  });
  child.on('close', (code) => {
    process.stderr.write(said);
    process.exitCode = said.includes('Serving on') ? code : 1;
  });
`;

// npx takes longer than all the rest, so only the full run uses it. This does the same for an installed package.
const INSTALLED_ONLY = `#!/bin/sh
shift; program="node_modules/.bin/mcp-\${1##*/}"; shift
[ -e "$program" ] && exec "$program" "$@"
echo "npm error 404 Not Found" >&2; exit 1
`;
