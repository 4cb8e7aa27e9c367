// Plugboard itself, as its own commands call a tool.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { echo } from '../servers/in-process.mjs';

const entries = {
  stdio: ({ command, args }) => ({ command, args }),
  http: ({ url }) => ({ type: 'http', url }),
  sse: ({ url }) => ({ type: 'sse', url }),
  ws: ({ url }) => ({ type: 'ws', url }),
  sdk: () => ({ type: 'sdk', name: 'bench' }),
  'in-process': () => ({ type: 'in-process', name: 'bench' }),
};

export async function open({ transport, era, server, variant, lib, folder }) {
  const [{ ConnectionFactory }, { callTool }, { parseEntry }] = await Promise.all(
    ['connection/connection-factory.js', 'connection/requests/call-tool.js', 'transports/kinds.js'].map(
      (file) => import(`${lib}/${file}`),
    ),
  );
  const { env, platform } = process;
  const state = variant === 'spill' ? join(folder, 'state') : undefined;
  const embedded = new Map([['bench', { connect: serve }]]);
  const control = transport === 'sdk' ? await openControl(lib, server) : undefined;
  const dock = new ConnectionFactory({ env, platform, cwd: folder, state, embedded, control });
  const { config } = parseEntry(entries[transport](server));
  const credentials = variant === 'signed in' ? await signedIn(lib) : undefined;
  const connection = await dock.connect({ name: 'bench', config, credentials });
  if (connection.session.era !== era) throw new Error(`it speaks ${connection.session.era}`);
  const { spill } = dock;
  const call =
    spill === undefined
      ? (tool, input) => callTool(connection, { tool, input })
      : (tool, input) => callTool(connection, { tool, input }, { spill });
  return { call, sizeOf: ({ content: [{ text }], saved: [file] }) => file?.bytes ?? text.length };
}

/** Credentials with a valid token: what every request to a server with a sign-in passes through. */
async function signedIn(lib) {
  const { bearer } = await import(`${lib}/model/account.js`);
  const { Secret } = await import(`${lib}/base/secret.js`);
  const presented = { ...bearer(new Secret('a-token-of-the-bench')), isFresh: () => Date.now() > 0 };
  return {
    hint: '',
    renewsAt: [401, 403],
    present: async () => presented,
    renew: async () => ({ kind: 'sign-in', hint: '' }),
  };
}

/** The embedding program is started as a child here, because this process already has a parent, the bench. */
async function openControl(lib, { command, args }) {
  const [{ ControlChannel }, { systemClock }] = await Promise.all(
    ['transports/in-process/control-channel.js', 'edge/clock.js'].map((file) => import(`${lib}/${file}`)),
  );
  const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  return new ControlChannel({ clock: systemClock, open: () => ({ input: stdout, output: stdin }) });
}

function serve(end) {
  Object.assign(end, { onmessage: answer });

  function answer({ id, method, params }) {
    if (id === undefined) return;
    void end.send({ jsonrpc: '2.0', id, ...reply(method, params) });
  }
}

function reply(method, params) {
  if (method === 'tools/call') return { result: echo(params) };
  if (method === 'initialize') return { result: agree(params) };
  return { error: { code: -32_601, message: 'Method not found' } };
}

function agree({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1.0.0' } };
}
