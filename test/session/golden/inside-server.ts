import type { LinkedEnd } from '../../../src/transports/in-process/in-process-pipe.js';
import type { EmbeddedServer } from '../../../src/transports/kind.js';

/** What a server offers from now on. */
export interface Offer {
  readonly tools: readonly OfferedTool[];
  readonly instructions?: string;
  readonly prompts?: readonly (Json & { readonly name: string; readonly messages: readonly object[] })[];
  readonly resources?: readonly (Json & { readonly uri: string; readonly text: string })[];
}

export interface OfferedTool extends Json {
  readonly name: string;
  /** The result of a call; by default the result repeats the input. */
  readonly run?: (input: Json) => Promise<object> | object;
}

interface Json {
  readonly [field: string]: unknown;
}

/** An in-process server that offers and answers what its test wants. */
export class InsideServer implements EmbeddedServer {
  #gate: Promise<void> | undefined;
  #open: (() => void) | undefined;
  readonly #ends = new Set<LinkedEnd>();
  #offer: Offer;

  constructor(offer: Offer) {
    this.#offer = offer;
  }

  /** Holds back the handshake until `release`. */
  hold(): void {
    this.#gate = new Promise((resolve) => (this.#open = resolve));
  }

  release(): void {
    this.#open?.();
  }

  /** Changes the offer and sends list_changed to every connected client. */
  change(offer: Offer): void {
    this.#offer = offer;
    for (const end of this.#ends) void end.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  /** Changes the offer without a notification, for the next connection: instructions are sent only in the handshake. */
  prepare(offer: Offer): void {
    this.#offer = offer;
  }

  async connect(end: LinkedEnd): Promise<void> {
    this.#ends.add(end);
    Object.assign(end, {
      onclose: () => this.#ends.delete(end),
      onmessage: (message: { id?: number; method?: string; params?: Json }) => void this.#take(end, message),
    });
    await end.start();
  }

  async #take(end: LinkedEnd, { id, method = '', params = {} }: { id?: number; method?: string; params?: Json }) {
    if (id === undefined) return;
    const result = await this.#answer(method, params);
    const error = { code: -32601, message: `There is nothing for ${method}` };
    await end.send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) } as never);
  }

  async #answer(method: string, params: Json): Promise<object | undefined> {
    const { tools, instructions, prompts, resources } = this.#offer;
    switch (method) {
      case 'initialize':
        await this.#gate;
        return {
          protocolVersion: '2025-11-25',
          serverInfo: { name: 'inside', version: '1' },
          capabilities: {
            tools: { listChanged: true },
            ...(prompts && { prompts: {} }),
            ...(resources && { resources: {} }),
          },
          ...(instructions !== undefined && { instructions }),
        };
      case 'tools/list':
        return { tools: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...without(tool, 'run') })) };
      case 'prompts/list':
        return { prompts: prompts?.map((prompt) => without(prompt, 'messages')) };
      case 'prompts/get':
        return { messages: prompts?.find(({ name }) => name === params['name'])?.messages };
      case 'resources/list':
        return { resources: resources?.map((resource) => without(resource, 'text')) };
      case 'resources/templates/list':
        return { resourceTemplates: [] };
      case 'resources/read': {
        const contents = resources?.filter(({ uri }) => uri === params['uri']) ?? [];
        return contents.length === 0 ? undefined : { contents };
      }
      case 'tools/call': {
        const input = (params['arguments'] ?? {}) as Json;
        const run = tools.find(({ name }) => name === params['name'])?.run;
        const content = (await run?.(input)) ?? [say(`${String(params['name'])} ${JSON.stringify(input)}`)];
        return Array.isArray(content) ? { content } : content;
      }
      default:
        return undefined;
    }
  }
}

export function say(text: string): object {
  return { type: 'text', text };
}

function without(thing: Json, field: string): Json {
  return Object.fromEntries(Object.entries(thing).filter(([key]) => key !== field));
}
