// The runtime of mcporter, as its users use it.
import { createRuntime } from 'mcporter';

export async function open({ transport, server }) {
  const command =
    transport === 'http'
      ? { kind: 'http', url: new URL(server.url), headers: {} }
      : { kind: 'stdio', command: server.command, args: server.args, cwd: process.cwd() };
  const runtime = await createRuntime({ servers: [{ name: 'bench', command }] });
  return { call: (name, input) => runtime.callTool('bench', name, { args: input }) };
}
