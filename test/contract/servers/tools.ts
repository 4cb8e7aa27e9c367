import { isObject, type JsonObject } from '../../../src/base/json.js';
import { RpcError, text, type ToolResult, type ToolTurn } from './tool-turn.js';

type Tool = (turn: ToolTurn) => ToolResult | Promise<ToolResult>;

/** The tools of every server. One tool reports what another saw: all transports have calls, and no other channel. */
const tools: Readonly<Record<string, Tool>> = {
  echo: ({ input }) => text(String(input['text'])),
  mirror: ({ input }) => text(JSON.stringify(input)),
  /** Some of its arguments are mirrored into headers. */
  region: ({ input }) => text(JSON.stringify(input)),
  add: ({ input }) => text(String(Number(input['a']) + Number(input['b']))),
  nothing: () => ({ content: [] }),
  big: ({ input }) => text('x'.repeat(Number(input['size']))),
  fail: () => ({ content: [{ type: 'text', text: 'the disk is full' }], isError: true }),
  refuse: ({ input }) => {
    throw new RpcError(input as unknown as RpcError);
  },
  square: ({ input }) => {
    const structuredContent = { square: Number(input['number']) ** 2 };
    return { ...text(JSON.stringify(structuredContent)), structuredContent };
  },
  /** Responds after a random delay, so that responses come out of order. */
  shuffle: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    return text(String(input['text']));
  },
  /** Responds after `ms` milliseconds. */
  rest: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(input['ms'])));
    return text('rested');
  },
  /** Responds when it is released, even if the call was cancelled. */
  wait: async ({ input, connection }) => {
    await new Promise<void>((resolve) => connection.gates.set(input['key'], resolve));
    return text(`released ${String(input['key'])}`);
  },
  release: ({ input, connection }) => {
    connection.gates.get(input['key'])?.();
    return text('released');
  },
  arrived: async ({ input, connection }) => {
    await connection.diary.until((diary) => diary.waitCall(input['key']));
    return text('arrived');
  },
  /** Responds when the client has cancelled the call of `wait` with this key. */
  cancelled: async ({ input, connection }) => {
    await connection.diary.until((diary) => diary.withdrawal(diary.waitCall(input['key'])?.['id']));
    return text('cancelled');
  },
  count: ({ input, connection }) => text(String(connection.diary.all(String(input['method'])).length)),
  progress: async ({ input, meta, notify }) => {
    const { steps, label } = input as { steps: number[]; label: string };
    for (const progress of steps) {
      await notify('notifications/progress', {
        progressToken: meta['progressToken'],
        progress,
        total: steps.length,
        message: `${label} ${progress}`,
      });
    }
    return text('done');
  },
  token: ({ meta }) => text(typeof meta['progressToken']),
  id: ({ id }) => text(Number.isInteger(id) ? 'integer' : typeof id),
  handshake: async ({ connection }) => {
    await connection.diary.until((diary) => diary.all('notifications/initialized')[0]);
    const { protocolVersion, capabilities } = connection.diary.all('initialize')[0]!['params'] as JsonObject;
    return text(JSON.stringify({ protocolVersion, capabilities }));
  },
  /** The envelopes of all requests so far, each once: version, client and capabilities. */
  envelopes: ({ connection }) => {
    const said = connection.diary.requests.map(({ params }) => JSON.stringify(toEnvelope(params as JsonObject)));
    return text(`[${[...new Set(said)].join()}]`);
  },
  /** How many responses the client has sent. */
  replies: ({ connection }) => text(String(connection.diary.replies.length)),
  /** Subscriptions opened and closed, once there are this many events. */
  subscriptions: async ({ input, connection }) => {
    const events = await connection.diary.until(({ subscriptions }) =>
      subscriptions.length >= Number(input['events']) ? subscriptions : undefined,
    );
    return text(events.join());
  },
  ask: async ({ input, ask }) =>
    text(JSON.stringify(await ask(String(input['method']), input['params'] as JsonObject))),
  /** Requires the planned inputs, one for each attempt, and then returns what came with each attempt. */
  rounds: async ({ id, input, inputs, connection }) => {
    const { key, plan, rest = 0 } = input as { key: string; plan: readonly object[]; rest?: number };
    const tries = [...(connection.tries.get(key) ?? []), { id, ...inputs }];
    connection.tries.set(key, tries);
    const question = plan[tries.length - 1];
    if (question) return { resultType: 'input_required', ...question };
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const brought = tries.map((one) => ({ ...one, id: undefined }));
    return text(JSON.stringify({ brought, ids: new Set(tries.map((one) => one.id)).size }));
  },
  /** How many attempts that call of `rounds` had. */
  tried: ({ input, connection }) => text(String(connection.tries.get(input['key'])?.length ?? 0)),
  note: async ({ input, notify }) => {
    await notify(String(input['method']), input['params'] as JsonObject);
    return text('noted');
  },
  announce: async ({ input, connection }) => {
    await connection.announce(String(input['method']), input['params'] as JsonObject);
    return text('announced');
  },
  /** Logs at the levels that the client asked for: once for all calls (legacy) or in this call (modern). */
  log: async ({ id, connection, notify }) => {
    const isModern = connection.diary.all('initialize').length === 0;
    const own = connection.diary.requests.find((request) => request['id'] === id)!['params'] as JsonObject;
    const level = isModern
      ? (own['_meta'] as JsonObject)[LOG_LEVEL]
      : (connection.diary.all('logging/setLevel').at(-1)?.['params'] as JsonObject | undefined)?.['level'];
    const all = level === undefined && isModern ? [] : level === 'error' ? ['error'] : ['info', 'error'];
    for (const one of all) {
      await notify('notifications/message', { level: one, logger: 'fixture', data: `something of ${one}` });
    }
    return text('logged');
  },
  die: ({ connection }) => {
    connection.die();
    return new Promise(() => {});
  },
};

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

function toEnvelope(params: JsonObject | undefined): object {
  const meta = isObject(params?.['_meta']) ? params['_meta'] : {};
  const client = meta['io.modelcontextprotocol/clientInfo'];
  return {
    version: meta['io.modelcontextprotocol/protocolVersion'],
    client: isObject(client) ? Object.keys(client) : client,
    capabilities: meta['io.modelcontextprotocol/clientCapabilities'],
  };
}

export const toolNames = Object.keys(tools);

export function runTool(name: string, turn: ToolTurn): ToolResult | Promise<ToolResult> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) throw new RpcError({ code: -32602, message: `Unknown tool: ${name}` });
  return tool(turn);
}

const PAGE = 10;

export function listPage(cursor: unknown): { readonly tools: readonly ListedTool[]; readonly nextCursor?: string } {
  const from = cursor === undefined ? 0 : Number(cursor);
  const to = from + PAGE;
  return {
    tools: toolNames.slice(from, to).map(toListed),
    ...(to < toolNames.length && { nextCursor: String(to) }),
  };
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties?: object };
  readonly outputSchema?: { readonly type: 'object'; readonly properties: object; readonly required: string[] };
}

function toListed(name: string): ListedTool {
  const properties = Object.fromEntries(
    Object.entries(mirrored[name] ?? {}).map(([key, { header, type }]) => [key, { type, 'x-mcp-header': header }]),
  );
  return {
    name,
    description: `The tool ${name}`,
    inputSchema: { type: 'object', ...(name in mirrored && { properties }) },
    ...(name === 'square' && {
      outputSchema: { type: 'object', properties: { square: { type: 'number' } }, required: ['square'] },
    }),
  };
}

/** Arguments of tools that are mirrored into headers. */
export const mirrored: Readonly<Record<string, Readonly<Record<string, { header: string; type: string }>>>> = {
  region: {
    region: { header: 'Region', type: 'string' },
    count: { header: 'Count', type: 'integer' },
    urgent: { header: 'Urgent', type: 'boolean' },
  },
  rounds: { key: { header: 'Round', type: 'string' } },
};

export const serverInfo = { name: 'contract', version: '1.2.3' };
export const instructions = 'Ask for what you need.';
export const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
};
