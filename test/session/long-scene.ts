import { expect, onTestFinished } from 'vitest';
import { loadHostConfig } from '../../src/config/load.js';
import { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import { inside as insideOf } from '../../src/host/inside.js';
import { chooseModel } from '../../src/session/models/choose-model.js';
import { type Said, Session, type SessionOptions } from '../../src/session/session.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { type Dialect, type Json, openScriptedApi, type ScriptedApi } from '../fixtures/scripted-api.js';
import { openScene, type Scene } from '../host/scene.js';
import type { InsideServer } from './golden/inside-server.js';
import type { Api } from './golden/script.js';
import { growth } from './request-growth.js';

/** What a model does with a request: says something, or calls tools. */
export interface Answer {
  readonly say?: string;
  readonly uses?: readonly (readonly [name: string, input?: Json])[] | undefined;
  readonly stop?: string;
}

export interface LongOptions {
  readonly inside: Readonly<Record<string, InsideServer>>;
  /** The window of the model, which its API enforces. */
  readonly window: number;
  /** What the host believes about the window; the same by default. */
  readonly believed?: number;
  /** The model's answer to a request that asks for a summary. */
  readonly summary?: (count: number, body: Json) => Answer | 'refuse' | 'too long';
  readonly answer: (text: string, body: Json) => Answer;
  readonly settings?: object;
  readonly session?: Partial<SessionOptions>;
  readonly host?: HostOptions;
  /** What the API says to a request beyond the window; by default Anthropic's words, with the figures. */
  readonly refusal?: string;
  /** The API reports what it counts. */
  readonly counts?: boolean;
}

export interface LongScene {
  readonly scene: Scene;
  readonly session: Session;
  readonly api: ScriptedApi;
  readonly events: SessionEvent[];
  say(text: string, signal?: AbortSignal): Promise<Said>;
  /** Where a request is not the one before it with something appended, though nothing was shortened between them. */
  faults(): readonly string[];
  /** How often the conversation was shortened. */
  compactions(): readonly Extract<SessionEvent, { kind: 'compacted' }>[];
}

/** What a request counts for: four characters a token, base64 left aside. */
export function countTokens(body: Json): number {
  const { tools = [], system = [], messages } = body;
  return Math.ceil(JSON.stringify([tools, system, messages]).length / 4);
}

export const isSummaryRequest = (body: Json): boolean => JSON.stringify(body).includes('A summary that you write now');

/** A session with a scripted model whose API enforces its context window. */
export async function openLong(by: Api, options: LongOptions): Promise<LongScene> {
  const scene = openScene();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const api = await openWindowed(by, options);
  onTestFinished(() => api[Symbol.asyncDispose]());
  const embedded = new Map(Object.entries(options.inside));
  const own = Object.fromEntries(
    [...embedded.keys()].map((name) => [name, { type: 'in-process', name, alwaysLoad: true }]),
  );
  scene.configure({}, options.settings);
  const where = { cwd: scene.project, env: scene.env, managedDirectories: [] };
  const given = {
    ...where,
    permissions: { mode: 'bypass' as const },
    embedded,
    mcpConfig: [JSON.stringify({ mcpServers: own })],
    ...options.host,
  };
  const env =
    by === 'anthropic'
      ? { ANTHROPIC_API_KEY: 'sk-long', ANTHROPIC_BASE_URL: api.url }
      : { OPENAI_API_KEY: 'sk-long', OPENAI_BASE_URL: `${api.url}/v1` };
  const setting = { name: `${by}/long`, contextTokens: options.believed ?? options.window };
  const chosen = await chooseModel({ setting, env, cwd: scene.project });
  if (chosen.kind !== 'model') return expect.fail(chosen.error.message);
  const loaded = await loadHostConfig(given);
  const events: SessionEvent[] = [];
  /** How many requests there were before each shortening. */
  const boundaries: number[] = [];
  const session = new Session({
    openHost: (more) => Host[insideOf](loaded, { ...given, ...more, watch: false, socket: false }),
    model: chosen.model,
    onEvent: (event) => {
      events.push(event);
      if (event.kind === 'compacted') boundaries.push(api.requests.length);
    },
    ...options.session,
  });
  onTestFinished(() => session[Symbol.asyncDispose]());
  await session.host.settled();
  return {
    scene,
    session,
    api,
    events,
    say: (text, signal) => session.say(text, signal ? { signal } : {}),
    faults: () => faultsOf(api, boundaries),
    compactions: () => events.filter((event) => event.kind === 'compacted'),
  };
}

function openWindowed(by: Api, options: LongOptions): Promise<ScriptedApi> {
  let calls = 0;
  let summaries = 0;
  const next = (body: Json): Answer | 'refuse' | 'too long' => {
    if (!isSummaryRequest(body)) return options.answer(lastText(body), body);
    summaries++;
    return options.summary?.(summaries, body) ?? { say: `SUMMARY ${summaries}: the user counts.` };
  };
  const tooLong = (body: Json): readonly string[] => {
    const tokens = countTokens(body);
    const words = options.refusal ?? `prompt is too long: ${tokens} tokens > ${options.window} maximum`;
    return tokens <= options.window ? [] : [words];
  };
  const refuse = { mischief: 'refuse', status: 400, body: { error: { message: 'no summaries today' } } } as const;
  const full = { mischief: 'refuse', status: 400, body: { error: { message: 'prompt is too long' } } } as const;
  if (by === 'anthropic') {
    const dialect: Dialect<AnthropicTurn> = {
      ...anthropicDialect,
      refusals: (body, headers) => [...anthropicDialect.refusals(body, headers), ...tooLong(body)],
    };
    return openScriptedApi(dialect, (_, body) => {
      const answer = next(body);
      if (answer === 'refuse' || answer === 'too long') return answer === 'refuse' ? refuse : full;
      const { say, uses = [], stop } = answer;
      const blocks = [
        ...(say === undefined ? [] : [{ type: 'text', text: say }]),
        ...uses.map(([name, input = {}]) => ({ type: 'tool_use', id: `toolu_${++calls}`, name, input })),
      ];
      const usage = options.counts === false ? {} : { input_tokens: countTokens(body) };
      return { blocks, usage, ...(stop !== undefined && { stop }) };
    });
  }
  const dialect: Dialect<OpenaiTurn> = {
    ...openaiDialect,
    refusals: (body, headers) => [...openaiDialect.refusals(body, headers), ...tooLong(body)],
  };
  return openScriptedApi(dialect, (_, body) => {
    const answer = next(body);
    if (answer === 'refuse' || answer === 'too long') return answer === 'refuse' ? refuse : full;
    const { say, uses = [], stop } = answer;
    return {
      ...(say !== undefined && { content: say }),
      ...(uses.length > 0 && {
        calls: uses.map(([name, input = {}]) => ({ id: `call_${++calls}`, name, arguments: JSON.stringify(input) })),
      }),
      ...(stop !== undefined && { finish: stop }),
      ...(options.counts !== false && { usage: { prompt_tokens: countTokens(body) } }),
    };
  });
}

/** The text of the last message. */
function lastText(body: Json): string {
  const messages = body['messages'] as readonly Json[];
  return JSON.stringify(messages.at(-1));
}

/** No byte changes between two shortenings; of tools and system text none ever does. */
function faultsOf({ received, requests }: ScriptedApi, boundaries: readonly number[]): readonly string[] {
  const said = received.map(({ text }, at) => ({ text, at })).filter(({ at }) => !isSummaryRequest(requests[at]!));
  const ends = [...boundaries, received.length];
  const runs = ends.map((end, index) => said.filter(({ at }) => at < end && at >= (ends[index - 1] ?? 0)));
  const bare = said.map(({ text }) => ({ text: JSON.stringify({ ...(JSON.parse(text) as object), messages: [] }) }));
  return [...runs.flatMap((run) => growth(run).faults), ...growth(bare).faults];
}
