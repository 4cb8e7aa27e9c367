// What the checks of all frameworks share: a host with the desk server, and a report.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host } from 'plugboard';

const server = join(import.meta.dirname, 'desk-server.mjs');

/** Runs the checks, each with a host of its own, and prints what each returned, by name, as one JSON object. */
export async function report(checks) {
  const results = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      results[name] = await withDesk(check);
    } catch (error) {
      results[name] = { thrown: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
    }
  }
  process.stdout.write(`${JSON.stringify(results, undefined, 1)}\n`);
}

async function withDesk(check) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-desk-'));
  const journal = join(home, 'journal');
  writeFileSync(journal, '');
  const entry = { command: process.execPath, args: [server], env: { JOURNAL: journal } };
  /** `permissions` and `ports` as in `Host.open`. */
  const open = async (options = {}) => {
    const host = await Host.open({
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      mcpConfig: [JSON.stringify({ mcpServers: { desk: entry } })],
      strict: true,
      watch: false,
      ...options,
    });
    await host.settled();
    hosts.push(host);
    return host;
  };
  const hosts = [];
  /** What the server was asked to do. */
  const journalLines = () => readFileSync(journal, 'utf8').split('\n').filter(Boolean);
  try {
    return await check({ open, journal: journalLines });
  } finally {
    for (const host of hosts) await host.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Resolves when the server has been asked for a call that it never answers. */
export async function untilAsked(journal) {
  while (!journal().some((line) => line.startsWith('wait'))) await new Promise((done) => setTimeout(done, 5));
}

export const allowed = { permissions: { allow: ['mcp__desk'] } };
