import type { JsonObject } from '../../src/base/json.js';
import type { ClientRequest, Endpoint, Served, WatchedChanges } from '../../src/serving/endpoint.js';
import { JsonRpcFailure } from '../../src/wire/inbound.js';
import { TestEndpoint } from '../serving/endpoint-fixture.js';

/** What stands behind the served side when it means ill: each tool breaks another promise. */
export class HostileEndpoint extends TestEndpoint {
  /** Requests that have neither been answered nor cancelled. */
  readonly unsettled = new Set<ClientRequest>();
  /** While set, `describe` waits for it. */
  describing: Promise<void> | undefined;
  /** Watches whose servers never answer. */
  neverHonours = false;
  readonly askedAnswers: unknown[] = [];

  override async describe(): Promise<Awaited<ReturnType<Endpoint['describe']>>> {
    await this.describing;
    return super.describe();
  }

  override request(request: ClientRequest): Promise<Served> {
    this.unsettled.add(request);
    request.signal.addEventListener('abort', () => this.unsettled.delete(request));
    const { name } = request.params;
    const tool = typeof name === 'string' ? this.#tools.get(name) : undefined;
    // Thrown at once, not as a rejection.
    if (name === 'throws') {
      this.unsettled.delete(request);
      throw new Error('secret-of-the-server');
    }
    const answer = tool ? tool(request) : super.request(request);
    void answer.then(
      () => this.unsettled.delete(request),
      () => this.unsettled.delete(request),
    );
    return answer;
  }

  override watch(...args: Parameters<TestEndpoint['watch']>): ReturnType<Endpoint['watch']> {
    const watch = super.watch(...args);
    if (!this.neverHonours) return watch;
    return { ...watch, honoured: new Promise<WatchedChanges>(() => {}) };
  }

  readonly #tools = new Map<string, (request: ClientRequest) => Promise<Served>>([
    ['rejects', () => Promise.reject(new Error('secret-of-the-server'))],
    ['cyclic', async () => cyclic()],
    ['bigint', async () => ({ content: [{ type: 'text', text: 1n }] })],
    ['undefined', async () => undefined as unknown as Served],
    ['bad-details', () => Promise.reject(new JsonRpcFailure(-32000, 'no', cyclic()))],
    ['bad-question', (request) => this.#ask(request, cyclic())],
    ['large', async () => ({ content: [{ type: 'text', text: 'x'.repeat(10_000_000) }] })],
    ['progress-flood', (request) => flood(request)],
    ['after-the-end', async (request) => afterTheEnd(request)],
    ['ask-and-report', (request) => askAndReport(request)],
    ['asks-at-once', (request) => this.#askAtOnce(request)],
    ['asks-on', (request) => this.#askOn(request)],
    ['ends-while-asking', async (request) => endsWhileAsking(request)],
  ]);

  async #ask(request: ClientRequest, params: JsonObject): Promise<Served> {
    const answer = await request.ask({ method: 'elicitation/create', params }, request.signal).catch(String);
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  }

  async #askAtOnce(request: ClientRequest): Promise<Served> {
    const asked = Array.from({ length: 1_000 }, () =>
      request.ask({ method: 'elicitation/create', params: { message: 'x' } }, request.signal).then(
        () => 'answered',
        () => 'refused',
      ),
    );
    const answers = await Promise.all(asked);
    return { content: [{ type: 'text', text: String(answers.filter((one) => one === 'refused').length) }] };
  }

  /** One question after the other, far too many. */
  async #askOn(request: ClientRequest): Promise<Served> {
    for (let at = 0; at < 10_000; at++) {
      await request.ask({ method: 'elicitation/create', params: { message: 'x' } }, request.signal).catch(() => {});
    }
    return { content: [] };
  }
}

function cyclic(): JsonObject {
  const value: Record<string, unknown> = { content: [] };
  value['self'] = value;
  return value;
}

/** Reports progress until its client is gone. */
async function flood(request: ClientRequest): Promise<Served> {
  for (let progress = 1; !request.signal.aborted; progress++) {
    request.onProgress?.({ progress, message: 'x'.repeat(10_000) });
    if (progress % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { content: [] };
}

function afterTheEnd(request: ClientRequest): Served {
  const report = (left: number): void => {
    request.onProgress?.({ progress: 10_000 - left });
    request.log({ level: 'emergency', data: 'late' });
    request.ask({ method: 'elicitation/create', params: { message: 'late' } }, request.signal).catch(() => {});
    if (left > 0) setImmediate(() => report(left - 1));
  };
  setImmediate(() => report(1_000));
  return { content: [{ type: 'text', text: 'done' }] };
}

function endsWhileAsking(request: ClientRequest): Served {
  for (let at = 0; at < 10; at++) {
    request.ask({ method: 'elicitation/create', params: { message: 'x' } }, request.signal).catch(() => {});
  }
  return { content: [{ type: 'text', text: 'done' }] };
}

async function askAndReport(request: ClientRequest): Promise<Served> {
  await request.ask({ method: 'elicitation/create', params: { message: 'x' } }, request.signal);
  request.onProgress?.({ progress: 1 });
  request.log({ level: 'error', data: 'x' });
  return { content: [{ type: 'text', text: 'done' }] };
}
