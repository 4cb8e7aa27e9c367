import { chmodSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textWidth } from '../../src/cli/terminal/text/text-width.js';
import { holdClosedPort } from '../closed-port.js';
import { makeIdentity } from '../faults/certificates.js';
import { listen } from '../faults/network-fixtures.js';
import { journaling, scripted } from './live-servers.js';
import { makeSandbox, type Run, USER_FILE } from './sandbox.js';

/** What a user has to read about one failing server, whichever command is asked. */
interface Cause {
  readonly entry: unknown;
  /** What failed. */
  readonly what: RegExp;
  /** The raw cause: the system's words, a header, what the server printed. */
  readonly why: RegExp;
  /** What to do, with a command to paste or a value to write. */
  readonly step: RegExp;
  /** What `list` says, where the server works or only waits for its user. */
  readonly listed?: RegExp;
  /** What `call` says, where only one tool is broken. */
  readonly called?: RegExp;
}

const answering = async (answer: RequestListener): Promise<string> => {
  const { port } = await listen(createHttpServer(answer));
  return `http://127.0.0.1:${port}/mcp`;
};

const status = (code: number, challenge: string): Promise<string> =>
  answering((request, response) => {
    request.resume();
    response.writeHead(code, { 'www-authenticate': challenge }).end();
  });

const HELLO = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };

/** Opens sessions, and knows none of them afterwards. */
function forgetful(): Promise<string> {
  return answering((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
      if (method === 'initialize') {
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: HELLO }));
      } else response.writeHead(statusFor(method, id)).end();
    });
  });
}

function statusFor(method: string | undefined, id: number | undefined): number {
  if (method === undefined) return 405; // GET, for a stream
  if (method === 'server/discover') return 400;
  return id === undefined ? 202 : 404;
}

const BROKEN_SCHEMA = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const tools = [{ name: 'x', inputSchema: 'none' }, { name: 'good', inputSchema: { type: 'object' } }];
    const result = { initialize: ${JSON.stringify(HELLO)}, 'tools/list': { tools } }[method];
    const error = { code: -32601, message: 'no such method' };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  });`;

async function openCauses(dead: number): Promise<Readonly<Record<string, Cause>>> {
  const { cert, key } = makeIdentity({ name: 'x', hosts: ['127.0.0.1'] });
  const tls = await listen(createHttpsServer({ cert, key }, (_request, response) => void response.end()));
  const token = { Authorization: 'Bearer ${CAUSES_TOKEN}' };
  return {
    enoent: {
      entry: { command: 'no-such-program' },
      what: /"enoent" cannot start/u,
      why: /there is no program "no-such-program" on PATH/u,
      step: /Install it.*: command -v no-such-program$/u,
    },
    exit: {
      entry: scripted('console.error("Error: no key"); process.exit(3)'),
      what: /Server "exit" exited with code 3/u,
      why: /the server said on stderr:\n {4}Error: no key$/mu,
      step: /Run the server by hand: node -e /u,
    },
    noise: {
      entry: scripted('console.log("Usage: server --port N"); process.exit(2)'),
      what: /Server "noise" exited with code 2/u,
      why: /printed text on stdout that is not a message: Usage: server --port N$/mu,
      step: /The server rejects its arguments: correct "args"/u,
    },
    banner: {
      entry: scripted('console.log("*** MY SERVER ***"); console.error("cannot open the file"); process.exit(2)'),
      what: /Server "banner" exited with code 2/u,
      why: /because on stdout: \*\*\* MY SERVER \*\*\*\n {2}the server said on stderr:\n {4}cannot open the file$/mu,
      step: /Run the server by hand: node -e /u,
    },
    refused: {
      entry: { url: `http://127.0.0.1:${dead}/mcp` },
      what: /Server "refused" (?:cannot be reached|refused)/u,
      why: /because connect ECONNREFUSED 127\.0\.0\.1:\d+$/mu,
      step: /Start the server.*: plugboard doctor refused$/u,
    },
    tls: {
      entry: { url: `https://127.0.0.1:${tls.port}/mcp` },
      what: /Server "tls" cannot be trusted/u,
      why: /its certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/u,
      step: /"tls": \{ "ca": "\/path\/to\/ca\.pem" \}.*: plugboard doctor tls$/u,
    },
    dns: {
      entry: { type: 'ws', url: 'ws://nothere.invalid/mcp' },
      what: /Server "dns" cannot be found: there is no host nothere\.invalid/u,
      why: /because .*(?:ENOTFOUND|EAI_AGAIN)/u,
      step: /Correct the host in "url".*: nslookup nothere\.invalid$/u,
    },
    proxy: {
      entry: { url: 'https://proxied.invalid/mcp' },
      what: /Server "proxy" cannot be reached: the proxy at 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) refused/u,
      why: /because connect ECONNREFUSED/u,
      step: /Check HTTPS_PROXY.*: plugboard doctor proxy$/u,
    },
    signin: {
      entry: { url: await status(401, 'Bearer error="invalid_token"') },
      what: /Server "signin" (?:answered HTTP 401|needs you to sign in)/u,
      why: /because WWW-Authenticate: Bearer error="invalid_token"$/mu,
      step: /plugboard login signin$/u,
      listed: /^note: "signin" needs you to sign in\n {2}→ plugboard login signin$/mu,
    },
    token: {
      entry: { url: await status(401, 'Bearer'), headers: token },
      what: /Server "token" answered HTTP 401/u,
      why: /answered HTTP 401/u,
      step: /CAUSES_TOKEN.*: plugboard doctor token$/u,
    },
    scope: {
      entry: { url: await status(403, 'Bearer error="insufficient_scope", scope="repo:write"'), headers: token },
      what: /Server "scope" answered HTTP 403: the token lacks the scope repo:write$/mu,
      why: /because WWW-Authenticate: Bearer error="insufficient_scope", scope="repo:write"$/mu,
      step: /Give the token the scope repo:write.*CAUSES_TOKEN.*: plugboard doctor scope$/u,
    },
    session: {
      entry: { url: await forgetful() },
      what: /"session" (?:is connected, but did not list|has not told) its tools/u,
      why: /answered HTTP 404; it no longer knows this session/u,
      step: /: plugboard reconnect session$/u,
    },
    timeout: {
      entry: { command: 'sleep', args: ['600'], startTimeout: 1000 },
      what: /Server "timeout" did not finish the handshake/u,
      why: /within (?:1000|[1-9]\d{0,2}) ms$/mu, // what is left after the start of the process, which may be slow
      step: /See what the server waits for: sleep 600; or give it more time: "startTimeout"/u,
    },
    schema: {
      entry: scripted(BROKEN_SCHEMA),
      what: /warning: "schema"/u,
      why: /its inputSchema is no object/u,
      step: /Report .* to the server's author; see .*: plugboard tools schema --json$/u,
      called: /^error: Server "schema" has a tool "x", and it cannot be used: its inputSchema is no object$/mu,
    },
  };
}

test('list, doctor, tools and call tell twelve causes apart, each with what, why and what to do', async () => {
  using closed = await holdClosedPort();
  const causes = await openCauses(closed.port);
  const mcpServers = Object.fromEntries(Object.entries(causes).map(([name, { entry }]) => [name, entry]));
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers } });
  chmodSync(join(sandbox.root, USER_FILE), 0o600);
  const env = {
    HTTPS_PROXY: `http://127.0.0.1:${closed.port}`,
    NO_PROXY: '127.0.0.1',
    CAUSES_TOKEN: 'hunter2hunter2',
  };
  const run = (...args: readonly string[]): Promise<Run> => sandbox.run(args, { env });
  const list = await run('list');
  const told: Record<string, readonly string[]> = {};
  for (const [name, cause] of Object.entries(causes)) {
    const [doctor, tools, call] = await Promise.all([
      run('doctor', name),
      run('tools', name),
      run('call', `${name}.x`),
    ]);
    const asked = { list, doctor, tools, call };
    told[name] = Object.entries(asked).flatMap(([verb, answer]) => lacksOf(verb, answer, { name, cause }));
    expect(JSON.stringify(asked)).not.toContain('hunter2');
  }
  expect(told).toEqual(Object.fromEntries(Object.keys(causes).map((name) => [name, []])));
}, 60_000);

/** The parts that this answer lacks. */
function lacksOf(
  verb: string,
  { stdout, stderr }: Run,
  { name, cause }: { readonly name: string; readonly cause: Cause },
): readonly string[] {
  const { what, why, step, listed, called } = cause;
  const all = `${stdout}${stderr}`;
  const only = verb === 'list' ? listed : verb === 'call' ? called : undefined;
  if (only) return only.test(all) ? [] : [`${verb}: ${all}`];
  // In a list others stand beside it: only the block of this server counts.
  const block = all.split(/^(?=error: |warning: |note: )/mu).find((one) => one.split('\n')[0]!.includes(`"${name}"`));
  const hint = /^ {2}→ (.*)$/mu.exec(block ?? '')?.[1] ?? '';
  const lacks = [
    ...(what.test(block ?? '') ? [] : ['what']),
    ...(why.test(block ?? '') ? [] : ['why']),
    ...(step.test(hint) ? [] : ['step']),
  ];
  return lacks.length === 0 ? [] : [`${verb} lacks ${lacks.join(', ')}: ${block ?? all}`];
}

test('a command about one server says nothing of another that is broken; list and doctor do', async () => {
  const mcpServers = {
    good: journaling(),
    wrong: { command: 5 },
    odd: { command: 'no-such-program', colour: 'red', env: { A: '${CAUSES_UNSET}' } },
  };
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers } });
  const about = [
    ['tools', 'good'],
    ['call', 'good.read'],
    ['resources', 'good'],
    ['prompts', 'good'],
    ['get', 'good'],
  ];
  for (const args of about) expect([args, (await run(args)).stderr]).toEqual([args, '']);
  const list = await run(['list']);
  expect(list.stderr).toMatch(
    /^error: \S+ server "wrong": command: .*\n {2}→ .*\nwarning: \S+ server "odd": colour: /mu,
  );
  expect(list.stdout).toContain('\nerror: "odd" cannot start');
  expect((await run(['doctor'])).stdout).toMatch(/server "wrong": command[^]*"odd" cannot start[^]*CAUSES_UNSET/u);
});

test.each([40, 80])('in %i columns no line of a diagnosis is broken inside a word, commands aside', async (columns) => {
  const mcpServers = { gone: { command: 'no-such-program' }, dead: scripted('process.exit(3)') };
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers } });
  for (const args of [['doctor'], ['list'], ['tools', 'gone'], ['call', 'dead.x']]) {
    const { stdout, stderr } = await run(args, { isTerminal: true, columns, env: { NO_COLOR: '1' } });
    const shown = stripProgress(stdout + stderr).split('\n');
    const wide = shown.filter((line) => textWidth(line) > columns);
    expect([args, wide.filter((line) => !/^ {4}(?:command -v|node -e) /u.test(line))]).toEqual([args, []]);
  }
});

/** Without the line that is redrawn while servers connect. */
function stripProgress(text: string): string {
  const lines = text.split('\n').map((line) => line.slice(line.lastIndexOf('\r') + 1));
  return lines.join('\n').replaceAll('\u001B[K', '');
}
