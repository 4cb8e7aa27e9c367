import { isObject, type JsonObject } from '../../../src/base/json.js';
import {
  type CallOutcome,
  type Connected,
  type Expectation,
  type Failure,
  TIMED_OUT,
} from '../../../src/testing/expectation.js';
import type { Mode } from '../../../src/testing/mode.js';
import { NEXT_TEXT } from '../../hostile/figures.js';
import { type Difference, differenceOf } from './differences.js';
import { ENOUGH, type Era, type Outcome, WatchedClient } from './watched-client.js';

const PAGES = 70; // more than a host reads of a server
const LOOK_MS = 20;

/** Has clients of both eras list and call a hostile server through the gateway. Returns what is not as it should be. */
export async function attack(mode: Mode, url: string): Promise<string[]> {
  const first = attackedBy('legacy', mode, url);
  if (differenceOf(mode).isAlone) await first;
  return (await Promise.all([first, attackedBy('modern', mode, url)])).flat();
}

interface Seen {
  readonly tools: readonly string[];
  readonly call: Outcome | undefined;
  readonly next: Outcome | undefined;
}

async function attackedBy(era: Era, mode: Mode, url: string): Promise<string[]> {
  const { setup = {}, padding = 0, name, expect: expected } = mode;
  const capabilities = setup.forms ? { elicitation: { form: {} } } : {};
  using client = new WatchedClient({ url, era, name: `${era}-of-${name}`, capabilities });
  // The gateway reads its edited files a moment later.
  while ((await client.open()) === 404) await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  await decided(client);
  const tools = await listed(client);
  const isTried = expected.connect !== 'ok' || expected.call.kind !== 'untried';
  const input = { ...setup.input, ...(padding > 0 && { padding: 'x'.repeat(padding) }) };
  const call = isTried ? await calling(client, input) : undefined;
  const next = isUnanswered(mode) ? undefined : await callingNext(client, mode);
  const faults = [...client.faults, ...faultsOf(mode, { tools, call, next }, era)];
  return faults.map((fault) => `${name}, ${era}: ${fault}`);
}

/** Some of the kit's calls are larger than what any client may send: the connection may end before all is sent. */
async function calling(client: WatchedClient, input: JsonObject): Promise<Outcome> {
  try {
    return await client.call('attack', input);
  } catch (error) {
    return { status: 'padding' in input ? TOO_LARGE : 0, error: { message: `broken: ${String(error)}` }, bytes: '' };
  }
}

/** A server that is still busy with its attack when a short deadline ends the next call is given another one. */
async function callingNext(client: WatchedClient, { expect: expected }: Mode): Promise<Outcome> {
  for (;;) {
    const outcome = await client.call('echo', { text: NEXT_TEXT });
    const mustAnswer = expected.connect === 'ok' && expected.next === 'ok';
    if (!mustAnswer || !isFailed(outcome) || !TIMED_OUT.test(textOf(outcome))) return outcome;
  }
}

/** Whether only a deadline would end the next call, which the attack itself is not to have. */
export function isUnanswered({ expect: expected }: Mode): boolean {
  return expected.connect === 'ok' && expected.next === 'unanswered';
}

/** Waits until the gateway knows what the server has, or why not: on a busy machine that takes longer than a list waits. */
async function decided(client: WatchedClient): Promise<void> {
  while (/not told its tools yet/u.test(textOf(await client.call('no-such-tool', {}))))
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
}

async function listed(client: WatchedClient): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: unknown;
  for (let page = 0; page < PAGES; page++) {
    const { result } = await client.request('tools/list', cursor === undefined ? {} : { cursor });
    if (!result) return names;
    names.push(...(result['tools'] as readonly JsonObject[]).map(({ name }) => String(name)));
    cursor = result['nextCursor'];
    if (cursor === undefined) return names;
  }
  client.faults.push('the list has no end');
  return names;
}

function faultsOf(mode: Mode, seen: Seen, era: Era): string[] {
  const { name, expect: expected } = mode;
  if (expected.connect !== 'ok') return failedFaults(mode, expected, seen);
  const { list, call, next } = expected;
  // What is not listed cannot be called: the error says why it is not.
  if (list.kind === 'fails') return [seen.call, seen.next].flatMap((one) => (one ? errorFaults(name, ANY, one) : []));
  const difference = differenceOf(mode);
  return [
    ...listFaults(list, seen.tools, difference),
    ...(seen.call ? callFaults(name, call, { outcome: seen.call, difference, era }) : []),
    ...(seen.next && seen.tools.includes('echo') ? nextFaults(name, difference.next ?? next, seen.next) : []),
  ];
}

/** A server that could not be reached, or wants a sign-in: every call says whose it is, and why. */
function failedFaults(mode: Mode, expected: Exclude<Expectation, Connected>, { call, next }: Seen): string[] {
  const pattern = expected.connect === 'sign-in' ? SIGN_IN : (differenceOf(mode).reason ?? expected.connect.text);
  return [call, next].flatMap((one) => (one ? errorFaults(mode.name, pattern, one) : []));
}

function listFaults(
  { has, lacks, most }: Exclude<Connected['list'], Failure>,
  tools: readonly string[],
  { renamed = [] }: Difference,
): string[] {
  return [
    ...has
      .filter((tool) => !tools.includes(tool) && !renamed.includes(tool))
      .map((tool) => `the tool ${tool} is missing`),
    ...lacks.filter((tool) => tools.includes(tool)).map((tool) => `the tool ${tool} is listed`),
    ...(tools.length > most ? [`${tools.length} tools are listed`] : []),
  ];
}

interface Called {
  readonly outcome: Outcome;
  readonly difference: Difference;
  readonly era: Era;
}

function callFaults(name: string, expected: CallOutcome, { outcome, difference, era }: Called): string[] {
  const { call, answers, isEndless } = difference;
  const text = textOf(outcome);
  if (call && (call.era ?? era) === era) return call.says.test(text) ? [] : [`the call says ${text.slice(0, 300)}`];
  if (text === ENOUGH) return isEndless ? [] : ['the questions had no end'];
  if (expected.kind === 'untried' || outcome.status === TOO_LARGE) return [];
  if (!isFailed(outcome)) {
    if (expected.kind === 'fails') return [`the call did not fail: ${text.slice(0, 100)}`];
    const wanted = answers ?? expected.text;
    return wanted.test(text) ? [] : [`the call was answered ${JSON.stringify(text.slice(0, 200))}`];
  }
  if (expected.kind === 'answers') return [`the call failed: ${text.slice(0, 300)}`];
  // What ends a call before the longer deadline here says so in other words.
  const isSooner = expected.when === 'by the deadline';
  return errorFaults(name, isSooner ? ANY : expected.kind === 'ends' ? expected.error : expected.text, outcome);
}

function nextFaults(name: string, expected: Connected['next'] | RegExp, outcome: Outcome): string[] {
  const text = textOf(outcome);
  if (expected instanceof RegExp) return errorFaults(name, expected, outcome);
  if (!isFailed(outcome)) return text === NEXT_TEXT ? [] : [`the next call was answered ${text.slice(0, 200)}`];
  return expected === 'ok' ? [`the next call failed: ${text.slice(0, 300)}`] : errorFaults(name, ANY, outcome);
}

/** An error names the server and the cause. What a server says itself is passed on, where it says anything. */
function errorFaults(name: string, pattern: RegExp, outcome: Outcome): string[] {
  const text = textOf(outcome);
  if (!isFailed(outcome)) return [`it was answered ${text.slice(0, 100)}`];
  return [
    ...(text.includes(name) || isServers(outcome) ? [] : [`an error does not name the server: ${text.slice(0, 300)}`]),
    ...(pattern.test(text) ? [] : [`an error says ${JSON.stringify(text.slice(0, 300))}, not ${String(pattern)}`]),
    ...(text.length > ERROR_LIMIT ? [`an error has ${text.length} characters`] : []),
  ];
}

/** Whether an error is that of the server itself: ours say what became of the call. */
function isServers({ error }: Outcome): boolean {
  const { data, message = '' } = error ?? {};
  const isOurs = (isObject(data) && 'plugboard/outcome' in data) || String(message).startsWith('Unknown tool');
  return error !== undefined && String(message).trim() !== '' && !isOurs;
}

function isFailed({ result, error }: Outcome): boolean {
  return error !== undefined || result?.['isError'] === true;
}

/** All texts of a result, or the message of the error. */
function textOf({ result, error }: Outcome): string {
  if (error) return String(error['message']);
  const { content } = result ?? {};
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return texts.join('\n');
}

const TOO_LARGE = 413;
const ANY = /\S/u;
const SIGN_IN = /sign|log ?in|unauthor/iu;
const ERROR_LIMIT = 10_000; // characters
