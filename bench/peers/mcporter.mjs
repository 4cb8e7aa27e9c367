// The runtime of mcporter, as its users use it.
import { createRuntime } from 'mcporter';

export async function open({ transport, server }) {
  const runtime = await createRuntime({ servers: [define('bench', server, transport)] });
  return { call: (name, input) => runtime.callTool('bench', name, { args: input }) };
}

/** One runtime for all servers. */
export async function openMany({ transport, servers }) {
  const definitions = servers.map((server, index) => define(`server-${index}`, server, transport));
  const runtime = await createRuntime({ servers: definitions });
  const lists = await Promise.all(definitions.map(({ name }) => runtime.listTools(name)));
  return { tools: lists.reduce((sum, tools) => sum + tools.length, 0), close: () => runtime.close() };
}

function define(name, { url, command, args, env }, transport) {
  if (transport === 'http') return { name, command: { kind: 'http', url: new URL(url), headers: {} } };
  return { name, command: { kind: 'stdio', command, args, cwd: process.cwd() }, ...(env && { env }) };
}
