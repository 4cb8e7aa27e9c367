import type { EmbeddedServer } from '../../src/transports/kind.js';
import type { LinkedEnd } from '../../src/transports/in-process/in-process-pipe.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { WalkTool } from './walk-scene.js';

/** An in-process server. Its tools return the server's name, the tool and the input. */
export interface Inside extends EmbeddedServer {
  /** The calls that it has received. */
  readonly ran: { readonly tool: string; readonly input: object }[];
  /** Replaces the tools and sends list_changed to every connection. */
  set(tools: readonly WalkTool[]): void;
}

/** In-process servers as options of a host: without processes, so that tests can open many hosts quickly. */
export function embed(servers: Iterable<readonly [name: string, tools: readonly WalkTool[]]>): {
  readonly options: Pick<HostOptions, 'embedded' | 'mcpConfig'>;
  readonly servers: ReadonlyMap<string, Inside>;
} {
  const embedded = new Map(Array.from(servers, ([name, tools]) => [name, inside(name, tools)] as const));
  // Written as text, because `__proto__` is an ordinary key only in JSON.
  const entries = Array.from(
    embedded.keys(),
    (name) => `${JSON.stringify(name)}:${JSON.stringify({ type: 'in-process', name })}`,
  );
  return { options: { embedded, mcpConfig: [`{"mcpServers":{${entries.join()}}}`] }, servers: embedded };
}

function inside(who: string, first: readonly WalkTool[]): Inside {
  const ran: Inside['ran'] = [];
  const ends = new Set<LinkedEnd>();
  let tools = first;
  const answer = (method: string, params: Params): object | undefined => {
    if (method === 'initialize') return HANDSHAKE;
    if (method === 'tools/list') return { tools: tools.map(toTool) };
    if (method === 'prompts/list') return { prompts: PROMPTS.map((name) => ({ name })) };
    if (method === 'prompts/get') return { messages: [{ role: 'user', content: text(String(params.name)) }] };
    if (method !== 'tools/call') return undefined;
    ran.push({ tool: params.name!, input: params.arguments ?? {} });
    return { content: [text(`${who}/${params.name} ${JSON.stringify(params.arguments)}`)] };
  };
  return {
    ran,
    set(next) {
      tools = next;
      for (const end of ends) void end.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    },
    async connect(end) {
      ends.add(end);
      Object.assign(end, {
        onclose: () => ends.delete(end),
        onmessage: (message: { id?: number; method?: string; params?: Params }) => {
          const { id, method = '', params = {} } = message;
          if (id === undefined) return;
          const result = answer(method, params);
          const error = { code: -32601, message: 'Method not found' };
          void end.send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) } as never);
        },
      });
      await end.start();
    },
  };
}

/** Names that must become neither the slash command `/clear` nor a second line. */
const PROMPTS = ['clear', 'new\nline'];
const HANDSHAKE = {
  protocolVersion: '2025-11-25',
  serverInfo: { name: 'inside', version: '1' },
  capabilities: { tools: { listChanged: true }, prompts: {} },
};

interface Params {
  readonly name?: string;
  readonly arguments?: object;
}

function toTool(tool: WalkTool): object {
  return { inputSchema: { type: 'object' }, ...(typeof tool === 'string' ? { name: tool } : tool) };
}

function text(value: string): object {
  return { type: 'text', text: value };
}
