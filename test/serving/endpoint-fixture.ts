import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/json.js';
import type { Client, ClientRequest, Endpoint, Served, WatchedChanges } from '../../src/serving/endpoint.js';
import { JsonRpcFailure } from '../../src/wire/inbound.js';

/** An endpoint of a test: tools that answer, wait, ask, report and fail. */
export class TestEndpoint implements Endpoint {
  readonly requests: ClientRequest[] = [];
  readonly clientsLeft: Client[] = [];
  readonly watches: { client: Client; wanted: WatchedChanges; tell: (method: string) => void }[] = [];
  readonly aborted: string[] = [];
  /** What `ask` was answered, and whether the call was cancelled by then. */
  readonly answers: { readonly answer: JsonObject; readonly isCancelled: boolean }[] = [];

  async describe(): Promise<Awaited<ReturnType<Endpoint['describe']>>> {
    return {
      server: { name: 'fixture', version: '1' },
      capabilities: { tools: { listChanged: true }, logging: {}, resources: { subscribe: true, listChanged: true } },
      instructions: 'Be kind.',
      ttlMs: 1_000,
      cacheScope: 'private',
    };
  }

  async request(request: ClientRequest): Promise<Served> {
    this.requests.push(request);
    const { name, arguments: given = {} } = request.params as { name?: string; arguments?: JsonObject };
    if (request.method !== 'tools/call') return { tools: [] };
    switch (name) {
      case 'echo':
        return text(JSON.stringify(given));
      case 'large':
        return text('x'.repeat(Number(given['size'])));
      case 'progress':
        request.onProgress?.({ progress: 1, total: 2 });
        request.onProgress?.({ progress: 1 });
        request.log({ level: 'info', data: 'half' });
        return text('done');
      case 'ask': {
        const answer = await request.ask(form('Name?'), request.signal);
        this.answers.push({ answer, isCancelled: request.signal.aborted });
        return text(JSON.stringify(answer));
      }
      case 'ask-two': {
        const answers = await Promise.all([
          request.ask(form('One?'), request.signal),
          request.ask({ method: 'roots/list', params: {} }, request.signal),
        ]);
        return text(JSON.stringify(answers));
      }
      case 'relay':
        if (request.inputs) return text(JSON.stringify(request.inputs));
        return { resultType: 'input_required', inputRequests: { k: form('Relayed?') }, requestState: 'theirs' };
      case 'relay-allowed':
        if (request.inputs) return text(String(request.isPermitted));
        request.permit();
        return { resultType: 'input_required', inputRequests: { k: form('Relayed?') }, requestState: 'theirs' };
      case 'wait':
        if (given['size'] !== undefined)
          request.onProgress?.({ progress: 1, message: 'x'.repeat(Number(given['size'])) });
        return new Promise((resolve, reject) => {
          const { label } = given as { label?: string };
          request.signal.addEventListener('abort', () => {
            this.aborted.push(label ?? '');
            reject(new JsonRpcFailure(-32000, 'aborted'));
          });
          this.#waiting.set(label ?? '', () => resolve(text(label ?? '')));
        });
      case undefined:
      default:
        throw new JsonRpcFailure(-32602, 'Unknown tool');
    }
  }

  readonly #waiting = new Map<string, () => void>();

  /** Forgets the calls of `wait` that were cancelled. */
  forget(): void {
    this.#waiting.clear();
  }

  /** Lets a call of `wait` end. */
  release(label: string): void {
    this.#waiting.get(label)?.();
  }

  watch(
    client: Client,
    wanted: WatchedChanges,
    tell: (change: { method: string; params: JsonObject }) => void,
  ): ReturnType<Endpoint['watch']> {
    const entry = { client, wanted, tell: (method: string) => tell({ method, params: {} }) };
    this.watches.push(entry);
    return {
      honoured: Promise.resolve({ ...wanted, prompts: false }),
      add: async (uri) => {
        // As long as its server takes.
        await sleep(20);
        entry.wanted = { ...entry.wanted, uris: [...entry.wanted.uris, uri] };
      },
      remove: (uri) => void (entry.wanted = { ...entry.wanted, uris: entry.wanted.uris.filter((one) => one !== uri) }),
      [Symbol.dispose]: () => void this.watches.splice(this.watches.indexOf(entry), 1),
    };
  }

  mirrored(): readonly [] {
    return [];
  }

  serves(method: string): boolean {
    return method !== 'completion/complete';
  }

  mayRepeat(): boolean {
    return false;
  }

  rootsChanged(): void {}

  left(client: Client): void {
    this.clientsLeft.push(client);
  }
}

function form(message: string): { method: string; params: JsonObject } {
  return { method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties: {} } } };
}

function text(value: string): JsonObject {
  return { content: [{ type: 'text', text: value }] };
}
