import { HostError } from '../../base/errors.js';
import { parseUrl } from '../../base/parse-url.js';
import { Secret } from '../../base/secret.js';
import { systemClock } from '../../edge/clock.js';
import type { ModelPort } from '../model-port.js';
import { type ApiKey, type ModelEndpoint, MODEL_LIMITS } from './model-endpoint.js';
import { ModelFetch } from './model-fetch.js';
import type { ListedModel } from './model-list.js';
import type { ModelTuning } from './model-tuning.js';
import { openModel } from './open-model.js';
import { hintOfName, ModelError, toLabel } from './model-error.js';

/** Where the choice of a model may come from, strongest first. */
export interface ModelWish {
  /** `--model`: a name, or `anthropic/NAME`, `openai/NAME`. */
  readonly name?: string | undefined;
  /** `model` of the user's settings. */
  readonly setting?: ModelChoice | undefined;
  /** How the model is to work; what it does not have is named in `ModelPort.unsupported`. */
  readonly tuning?: ModelTuning | undefined;
  /** `--context-tokens`: the context window, whichever model is chosen. */
  readonly contextTokens?: number | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** A model as the settings name it. */
export interface ModelChoice {
  readonly name?: string | undefined;
  readonly contextTokens?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Tools that the provider runs itself, in the format of its API. */
  readonly tools?: readonly object[] | undefined;
}

/** The model for a session, or why there is none. */
export type ChosenModel =
  | { readonly kind: 'model'; readonly model: ModelPort }
  /** `no-model`, whose hint says how to add one; or `cancelled`. */
  | { readonly kind: 'none'; readonly error: HostError };

/**
 * The model that the user means, by name, settings and variables. Uses no network, unless an endpoint has to list its
 * models. Never rejects.
 */
export async function chooseModel(options: ModelWish): Promise<ChosenModel> {
  const { name, setting, contextTokens, tuning, env, cwd, signal } = options;
  try {
    const wanted = toWanted(name) ?? toWanted(setting?.name);
    const endpoints = toEndpoints(env, cwd);
    const { endpoint, name: own } = pick(wanted, endpoints);
    const known = own ?? read(env, DEFAULTS[endpoint.api]);
    const only = known === undefined ? await onlyModelOf(endpoint, signal) : undefined;
    // What the settings say applies only to the model that they name.
    const numbers = name === undefined || toWanted(name) === toWanted(setting?.name) ? setting : undefined;
    const model = openModel({
      name: known ?? only!.name,
      endpoint,
      contextTokens: contextTokens ?? numbers?.contextTokens,
      listedContextTokens: only?.contextTokens,
      maxTokens: numbers?.maxTokens,
      providerTools: numbers?.tools,
      tuning,
      fallback: toFallbackModel(tuning, endpoint, endpoints),
    });
    return { kind: 'model', model };
  } catch (error) {
    // After a cancellation the user needs no error about models.
    if (signal?.aborted === true)
      return { kind: 'none', error: new HostError('cancelled', 'Cancelled while a model was chosen') };
    if (error instanceof HostError) return { kind: 'none', error };
    return { kind: 'none', error: noModel('No model could be chosen', HOW, error) };
  }
}

const DEFAULTS = { anthropic: 'ANTHROPIC_MODEL', openai: 'OPENAI_MODEL' } as const;
const ANTHROPIC_MODEL = 'claude-sonnet-5-5';
const HOW =
  'Set ANTHROPIC_API_KEY, or OPENAI_API_KEY; or OPENAI_BASE_URL for a model of your own (Ollama: http://127.0.0.1:11434/v1). ' +
  'Which model: --model NAME, or "model" in your settings';

interface Endpoints {
  readonly anthropic: ModelEndpoint | undefined;
  readonly openai: ModelEndpoint | undefined;
}

/** The endpoint to use, and the model's name where `wanted` has one. */
function pick(
  wanted: string | undefined,
  endpoints: Endpoints,
): { endpoint: ModelEndpoint; name?: string | undefined } {
  const { anthropic, openai } = endpoints;
  const either = anthropic ?? openai;
  if (!either) throw noModel('No model is configured: no API key or base URL is set', HOW);
  if (wanted === undefined) return { endpoint: either };
  const [, api, rest] = /^(anthropic|openai)\/(.*)$/u.exec(wanted) ?? [];
  if (api === undefined) {
    const endpoint = /^claude/iu.test(wanted) ? either : (openai ?? either);
    return { endpoint, name: wanted };
  }
  const own = api === 'anthropic' ? anthropic : openai;
  if (own) return { endpoint: own, name: rest || undefined };
  // Some OpenAI-compatible endpoints have models of all providers, under such names.
  if (openai && openai.provider !== 'OpenAI') return { endpoint: openai, name: wanted };
  const variable = api === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY or OPENAI_BASE_URL';
  throw noModel(`The model ${wanted} cannot be asked: ${variable} is not set`, HOW);
}

/** Does not think: the other model's thoughts would not be its own. Undefined where it could not read the requests. */
function toFallbackModel(
  tuning: ModelTuning | undefined,
  { api }: ModelEndpoint,
  endpoints: Endpoints,
): ModelPort | undefined {
  const wanted = toWanted(tuning?.fallbackModel);
  if (wanted === undefined) return undefined;
  try {
    const { endpoint, name = wanted } = pick(wanted, endpoints);
    const { effort, betas } = tuning ?? {};
    return endpoint.api === api ? openModel({ name, endpoint, tuning: { effort, betas } }) : undefined;
  } catch {
    return undefined; // named as unsupported
  }
}

function toEndpoints(env: ModelWish['env'], cwd: string): Endpoints {
  const bearer = toKey(env, 'ANTHROPIC_AUTH_TOKEN', 'bearer');
  const anthropicKey = toKey(env, 'ANTHROPIC_API_KEY', 'x-api-key') ?? bearer;
  const openaiKey = toKey(env, 'OPENAI_API_KEY', 'bearer');
  const openaiUrl = toBaseUrl(env, 'OPENAI_BASE_URL');
  const anthropic = anthropicKey && {
    api: 'anthropic' as const,
    ...toPlace(toBaseUrl(env, 'ANTHROPIC_BASE_URL'), ['https://api.anthropic.com', 'Anthropic']),
    key: anthropicKey,
    env,
    cwd,
  };
  const openai = (openaiKey ?? openaiUrl) && {
    api: 'openai' as const,
    ...toPlace(openaiUrl, ['https://api.openai.com', 'OpenAI']),
    key: openaiKey,
    env,
    cwd,
  };
  return { anthropic, openai };
}

/** The user's URL may contain the version or not. */
function toPlace(
  url: URL | undefined,
  [origin, name]: readonly [string, string],
): Pick<ModelEndpoint, 'baseUrl' | 'provider'> {
  if (!url || url.origin === origin) return { baseUrl: `${origin}/v1`, provider: name };
  const path = url.pathname.replace(/\/+$/u, '');
  const isAnthropic = name === 'Anthropic';
  const versioned = isAnthropic ? !path.endsWith('/v1') : path === '';
  return { baseUrl: `${url.origin}${path}${versioned ? '/v1' : ''}`, provider: url.host };
}

function toBaseUrl(env: ModelWish['env'], variable: string): URL | undefined {
  const text = read(env, variable);
  if (text === undefined) return undefined;
  const url = parseUrl(text);
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw noModel(
      `${variable} is not the URL of an API: it has to begin with http:// or https://, without a user, a query or a fragment`,
      `Write it like http://127.0.0.1:11434/v1, or unset ${variable}`,
    );
  }
  return url;
}

function toKey(env: ModelWish['env'], variable: string, sentAs: ApiKey['sentAs']): ApiKey | undefined {
  const value = read(env, variable);
  if (value === undefined) return undefined;
  if (!/^[\x21-\x7e]+$/u.test(value)) {
    throw noModel(
      `${variable} holds a character that no key has: a space, or one that is not ASCII`,
      `Set ${variable} again`,
    );
  }
  return { secret: new Secret(value), variable, sentAs };
}

/** The endpoint's only model; throws when there is none, or more than one. */
async function onlyModelOf(endpoint: ModelEndpoint, signal: AbortSignal | undefined): Promise<ListedModel> {
  if (endpoint.api === 'anthropic') return { name: ANTHROPIC_MODEL, contextTokens: undefined };
  const http = new ModelFetch({ endpoint, model: '', limits: MODEL_LIMITS, clock: systemClock });
  const where = toLabel(endpoint);
  const variable = DEFAULTS[endpoint.api];
  let models: readonly ListedModel[];
  try {
    models = await http.listModels(signal ?? new AbortController().signal, { isNeeded: true });
  } catch (error) {
    const told = error instanceof ModelError ? error.failure : error;
    const { message, hint } = told instanceof HostError ? told : {};
    const why = message === undefined ? '' : `: ${message}`;
    throw noModel(
      `Plugboard cannot find out which model to use${why}`,
      `${hint ? `${hint}; or name` : 'Name'} one: --model NAME, or ${variable}`,
      error,
    );
  }
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw noModel(`${where} has no models, or does not list them`, `Name one: --model NAME, or ${variable}`);
  throw noModel(
    `${where} has ${models.length} models, and you named none`,
    `${hintOfName(
      '',
      models.map(({ name }) => name),
    )}; with --model NAME, or ${variable}`,
  );
}

function toWanted(name: string | undefined): string | undefined {
  return name?.trim() || undefined;
}

function read(env: ModelWish['env'], variable: string): string | undefined {
  return env[variable]?.trim() || undefined;
}

function noModel(message: string, hint: string, cause?: unknown): HostError {
  return new HostError('no-model', message, { hint, ...(cause !== undefined && { cause }) });
}
