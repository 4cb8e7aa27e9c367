import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = join(import.meta.dirname, 'installed');
const inspector = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const packages = join(folder, 'node_modules/.python');
const PYTHON_PACKAGE = 'mcp==2.3.0';
const OUTPUT_LIMIT = 10_000_000;

export const hasInspector = (): boolean => existsSync(inspector);
export const hasPython = (): boolean => existsSync(join(packages, 'mcp'));

/** Installs MCP Inspector (80 MB), and the Python client (45 MB) where there is a pip. */
export async function installClients(): Promise<void> {
  const options = { cwd: folder, maxBuffer: OUTPUT_LIMIT };
  if (!hasInspector()) await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
  if (hasPython()) return;
  await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', packages, PYTHON_PACKAGE], options).catch(
    ({ message }: Error) => process.stderr.write(`The Python client is left out: ${message}\n`),
  );
}

/** One run of the Inspector's command line. Its exit code is that of a failure where the server's answer is one. */
export async function inspect(url: string, era: string, args: readonly string[]): Promise<unknown> {
  const all = [
    inspector,
    '--cli',
    url,
    '--transport',
    'http',
    '--protocol-era',
    era,
    '--format',
    'json',
    '--quiet',
    ...args,
  ];
  const { stdout } = await run(process.execPath, all, { maxBuffer: OUTPUT_LIMIT, env: ownEnvironment() });
  return JSON.parse(stdout);
}

/** What the Python client was told of the suite's upstream. */
export async function askFromPython(url: string, mode: string): Promise<unknown> {
  const env = { ...ownEnvironment(), PYTHONPATH: packages };
  const { stdout } = await run('python3', [join(folder, 'python-client.py'), url, mode], {
    env,
    maxBuffer: OUTPUT_LIMIT,
  });
  return JSON.parse(stdout);
}

/** Without proxies: the servers are on this machine. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: folder };
}
