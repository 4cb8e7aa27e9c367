import type { JsonObject, RequestId } from '../../../src/wire/message.js';
import type { Diary } from './diary.js';

/** One call of a tool, and what the tool can do meanwhile; every server of the suite provides it. */
export interface ToolTurn {
  readonly id: RequestId;
  readonly input: JsonObject;
  readonly meta: JsonObject;
  readonly connection: ToolConnection;
  /** Sends a note that belongs to this call. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Asks the client and tells its whole reply: `{ result }` or `{ error }`. */
  readonly ask: (method: string, params?: JsonObject) => Promise<JsonObject>;
}

/** What outlives a call. */
export interface ToolConnection {
  readonly diary: Diary;
  /** The calls of `wait` that may be released, by their key. */
  readonly gates: Map<unknown, () => void>;
  /** Sends a note that belongs to no call. */
  announce(method: string, params?: JsonObject): Promise<void>;
  /** Goes down as a crash would. */
  die(): void;
}

/** What a tool throws to have its call answered with an error of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
}

type Tool = (turn: ToolTurn) => ToolResult | Promise<ToolResult>;

/** The tools that every server of the suite has. What one of them saw is told by another: the only way that all roads have. */
const tools: Readonly<Record<string, Tool>> = {
  echo: ({ input }) => text(String(input['text'])),
  mirror: ({ input }) => text(JSON.stringify(input)),
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
  /** Answers at some time, so that answers come in another order than they were asked for. */
  shuffle: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    return text(String(input['text']));
  },
  /** Answers once it is released, whether anybody still waits for that or not. */
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
  /** Answers once the client has taken back the call of `wait` with this key. */
  cancelled: async ({ input, connection }) => {
    await connection.diary.until((diary) => {
      const id = diary.waitCall(input['key'])?.['id'];
      return diary.all('notifications/cancelled').find(({ params }) => (params as JsonObject)['requestId'] === id);
    });
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
  greeting: async ({ connection }) => {
    await connection.diary.until((diary) => diary.all('notifications/initialized')[0]);
    const { protocolVersion, capabilities } = connection.diary.all('initialize')[0]!['params'] as JsonObject;
    return text(JSON.stringify({ protocolVersion, capabilities }));
  },
  ask: async ({ input, ask }) =>
    text(JSON.stringify(await ask(String(input['method']), input['params'] as JsonObject))),
  note: async ({ input, notify }) => {
    await notify(String(input['method']), input['params'] as JsonObject);
    return text('noted');
  },
  announce: async ({ input, connection }) => {
    await connection.announce(String(input['method']), input['params'] as JsonObject);
    return text('announced');
  },
  /** Logs at both levels and lets through what the client asked for. */
  log: async ({ connection, notify }) => {
    const level = (connection.diary.all('logging/setLevel').at(-1)?.['params'] as JsonObject | undefined)?.['level'];
    for (const one of level === 'error' ? ['error'] : ['info', 'error']) {
      await notify('notifications/message', { level: one, logger: 'fixture', data: `something of ${one}` });
    }
    return text('logged');
  },
  die: ({ connection }) => {
    connection.die();
    return new Promise(() => {});
  },
};

export const toolNames = Object.keys(tools);

export function runTool(name: string, turn: ToolTurn): ToolResult | Promise<ToolResult> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) throw new RpcError({ code: -32602, message: `Unknown tool: ${name}` });
  return tool(turn);
}

const PAGE = 10;

/** One page of the list of tools. */
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
  readonly inputSchema: { readonly type: 'object' };
  readonly outputSchema?: { readonly type: 'object'; readonly properties: object; readonly required: string[] };
}

function toListed(name: string): ListedTool {
  return {
    name,
    description: `The tool ${name}`,
    inputSchema: { type: 'object' },
    ...(name === 'square' && {
      outputSchema: { type: 'object', properties: { square: { type: 'number' } }, required: ['square'] },
    }),
  };
}

export const serverInfo = { name: 'contract', version: '1.2.3' };
export const instructions = 'Ask for what you need.';
export const capabilities = { tools: { listChanged: true }, logging: {} };

function text(said: string): ToolResult {
  return { content: [{ type: 'text', text: said }] };
}
