import { hiddenKind } from '../../src/model/text/hidden-characters.js';
import type { CallOutcome, Connected, Count, Refused, Shown, When } from '../../src/testing/expectation.js';
import { FORGED } from '../../src/testing/expectation.js';
import { type Figures, type Job, NEXT_TEXT, SERVER, type ShownFigures, type Step, TOKEN } from './figures.js';

/** No bound is in wall-clock time, because that depends on the machine and its other work. */
export interface Bounds {
  /** How long the host may compute without a pause. */
  readonly stallMs: number;
  /** The longest timer that may run out in a step that is to end at once. */
  readonly atOnceMs: number;
  /** The longest timer that may run out in a step that is to end before its deadline. */
  readonly inTimeMs: number;
  readonly growthMb: number;
  /** The longest timer that may run out during a close. */
  readonly closeMs: number;
  /** How much CPU time the host may use before the neighbour's call is answered. */
  readonly neighbourMs: number;
  /** How much later than its deadline a step may end. */
  readonly slackMs: number;
}

/** Everything that a host did wrong, one sentence each. */
export function faultsOf(expected: Refused | Connected, figures: Figures, judging: Judging): string[] {
  return [
    ...generalFaults(figures, judging.bounds),
    ...(expected.connect === 'ok' ? walkFaults(expected, figures, judging) : refusalFaults(expected, figures, judging)),
  ];
}

export interface Judging {
  readonly deadlines: Job['deadlines'];
  readonly bounds: Bounds;
}

const ERROR_BYTES = 4096;

/** Faults that no mode may cause. */
function generalFaults(figures: Figures, bounds: Bounds): string[] {
  const { connect, list, call, next, counts, close, stallMs, growthMb, neighbour, isPolluted } = figures;
  const steps = [connect, list, call, next].filter((one) => one !== undefined);
  return [
    ...steps.flatMap(errorFaults),
    ...steps
      .filter(({ text }) => text.includes(FORGED))
      .map(({ text }) => `a forged answer was believed: ${text.slice(0, 100)}`),
    ...(list?.tools ?? [])
      .filter(({ description }) => description.length > 2048)
      .map(({ name }) => `${name} is described in more than 2048 characters`),
    ...(list?.tools ?? [])
      .filter(({ description }) => isHidden(description))
      .map(({ name }) => `the description of ${name} hides something`),
    ...(isHidden(connect.text) ? ['what the server says of itself hides something'] : []),
    ...over('the event loop was kept busy for', stallMs, bounds.stallMs, 'ms'),
    ...over('memory grew by', growthMb, bounds.growthMb, 'MB'),
    ...over('the close waited for', close.waitedMs, bounds.closeMs, 'ms'),
    ...over('before the neighbour was answered the host computed for', neighbour.busiestMs, bounds.neighbourMs, 'ms'),
    ...(neighbour.failed === '' ? [] : [`the neighbour failed: ${neighbour.failed}`]),
    ...(neighbour.calls > 0 ? [] : ['the neighbour was never called']),
    ...(isPolluted ? ['Object.prototype was changed'] : []),
    ...((counts?.['strayed'] ?? 0) === 0 ? [] : ['a request went to an address that nobody named']),
  ];
}

export function errorFaults({ error }: Step): string[] {
  if (!error) return [];
  const { code, message, hint } = error;
  const text = `${message}\n${hint}`;
  return [
    ...(code === 'internal' ? [`a fault of our own: ${message}`] : []),
    ...(message.includes(SERVER) ? [] : [`the error does not name the server: ${message.slice(0, 200)}`]),
    ...(Buffer.byteLength(text) <= ERROR_BYTES ? [] : [`the error has ${Buffer.byteLength(text)} bytes`]),
    ...(isHidden(text) ? [`the error hides something: ${JSON.stringify(text.slice(0, 200))}`] : []),
    ...(text.includes(TOKEN.slice(-10)) ? ['the error tells the token'] : []),
  ];
}

function isHidden(text: string): boolean {
  return Array.from(text).some(
    (character) => !/[\n\t]/u.test(character) && hiddenKind(character.codePointAt(0)!) !== undefined,
  );
}

function refusalFaults({ connect, counts }: Refused, figures: Figures, judging: Judging): string[] {
  const { error } = figures.connect;
  if (!error) return ['it connected'];
  return [
    ...textFaults('connect', `${error.message}\n${error.hint}`, connect.text),
    ...timeFaults('connect', figures.connect, connect.when, judging),
    ...(figures.counts ? counts.flatMap((rule) => ruleFaults(rule, figures.counts!)) : []),
  ];
}

function walkFaults(expected: Connected, figures: Figures, judging: Judging): string[] {
  const { connect } = figures;
  if (connect.error) return [`it did not connect: ${connect.error.message}`];
  return [
    ...listFaults(expected, figures, judging),
    ...callFaults(expected.call, figures.call, judging),
    ...nextFaults(expected, figures, judging),
    ...countFaults(expected, figures),
    ...toldFaults(expected, figures),
    ...(expected.shown ? shownFaults(expected.shown, figures.shown) : []),
  ];
}

function shownFaults(expected: Shown, shown: ShownFigures | undefined): string[] {
  if (!shown) return ['nothing was shown to a model'];
  const { text, length, pictures, hidden, saved, outside, notes, offers } = shown;
  const said = JSON.stringify(text.slice(0, 300));
  return [
    ...expected.says.filter((one) => !one.test(text)).map((one) => `a model reads ${said}, not ${String(one)}`),
    ...expected.lacks.filter((one) => one.test(text)).map((one) => `a model reads ${String(one)} in ${said}`),
    ...over('a model reads', length, expected.most, 'characters'),
    ...over('a model sees', pictures, expected.pictures, 'pictures'),
    ...(saved >= expected.saved.least && saved <= expected.saved.most ? [] : [`${saved} files were saved`]),
    ...outside.map((path) => `a file was saved to ${path}`),
    ...hidden.map((one) => `a model is shown what nobody sees: ${one}`),
    ...textFaults('the notes', notes, expected.notes),
    ...Object.entries(offers).flatMap(([profile, { tools, setAside, hidden: unseen }]) => [
      ...expected.offers
        .filter((name) => !tools.includes(name))
        .map((name) => `${profile} is not offered ${name} (${setAside.join('; ').slice(0, 300)})`),
      ...expected.withholds.filter((name) => tools.includes(name)).map((name) => `${profile} is offered ${name}`),
      ...unseen.map((one) => `${profile} is told what nobody sees: ${one}`),
    ]),
  ];
}

export function listFaults(
  { list: expected }: Pick<Connected, 'list'>,
  { list }: Pick<Figures, 'list'>,
  judging: Judging,
): string[] {
  if (!list) return ['nothing was listed'];
  const late = timeFaults('list', list, expected.when, judging);
  if (expected.kind === 'fails') {
    if (!list.error) return ['the list did not fail'];
    return [...textFaults('list', `${list.error.message}\n${list.error.hint}`, expected.text), ...late];
  }
  if (list.error) return [`the list failed: ${list.error.message}`];
  const names = list.tools.map(({ name }) => name);
  return [
    ...expected.has.filter((name) => !names.includes(name)).map((name) => `the tool ${name} is missing`),
    ...expected.lacks.filter((name) => names.includes(name)).map((name) => `the tool ${name} is listed`),
    ...over('the list has', names.length, expected.most, 'tools'),
    ...late,
  ];
}

export function callFaults(expected: CallOutcome, call: Step | undefined, judging: Judging): string[] {
  if (expected.kind === 'untried') return [];
  if (!call) return ['nothing was called'];
  const error = call.error && `${call.error.message}\n${call.error.hint}`;
  const late = timeFaults('call', call, expected.when, judging);
  if (error === undefined) {
    if (expected.kind === 'fails') return [`the call did not fail: ${call.text.slice(0, 100)}`];
    return [...textFaults('call', call.text, expected.text), ...late];
  }
  if (expected.kind === 'answers') return [`the call failed: ${error}`];
  return [...textFaults('call', error, expected.kind === 'ends' ? expected.error : expected.text), ...late];
}

export function nextFaults(
  { next: expected }: Pick<Connected, 'next'>,
  { next }: Pick<Figures, 'next'>,
  judging: Judging,
): string[] {
  if (!next) return ['nothing was called afterwards'];
  if (expected === 'ok')
    return next.text === NEXT_TEXT ? [] : [`the next call failed: ${next.error?.message ?? next.text}`];
  if (expected === 'delayed')
    return next.error?.code === 'unauthorized' ? [`the next call wants a sign-in: ${next.error.message}`] : [];
  if (!next.error) return ['the next call was answered by a server that should be gone'];
  if (expected === 'signed-out') return textFaults('next', `${next.error.message}\n${next.error.hint}`, SIGN_IN);
  return timeFaults('next', next, expected === 'lost' ? 'in time' : 'by the deadline', judging);
}

function countFaults({ counts: expected, next, call }: Connected, { counts }: Figures): string[] {
  if (next !== 'ok' || !counts) return [];
  const usual = call.kind === 'untried' ? 0 : 1;
  const isSaid = expected.some(({ what }) => what === 'tools/call attack');
  const rules = isSaid ? expected : [...expected, { what: 'tools/call attack', least: usual, most: usual }];
  return rules.flatMap((rule) => ruleFaults(rule, counts));
}

export function ruleFaults({ what, least, most }: Count, counts: Readonly<Record<string, number>>): string[] {
  const count = counts[what] ?? 0;
  return count >= least && count <= most ? [] : [`the server saw ${what} ${count} times, not ${least} to ${most}`];
}

const SIGN_IN = /sign|log ?in|unauthor/iu;

/** Checks how many notifications reached the listener. */
function toldFaults({ told: expected }: Connected, { told }: Figures): string[] {
  if (!expected || (told >= expected.least && told <= expected.most)) return [];
  return [`${told} notes reached the listener, not ${expected.least} to ${expected.most}`];
}

export function textFaults(what: string, text: string, pattern: RegExp): string[] {
  return pattern.test(text) ? [] : [`${what} says ${JSON.stringify(text.slice(0, 300))}, not ${String(pattern)}`];
}

function timeFaults(
  what: keyof Job['deadlines'],
  { ms, waitedMs }: Step,
  when: When,
  { deadlines, bounds }: Judging,
): string[] {
  const deadline = deadlines[what];
  const most = {
    'at once': bounds.atOnceMs,
    'in time': bounds.inTimeMs,
    'at the deadline': deadline + bounds.slackMs,
    'by the deadline': deadline + bounds.slackMs,
  };
  if (when === 'at the deadline' && ms < deadline - EARLY_MS)
    return [`${what} ended after ${ms} ms, before its deadline of ${deadline}`];
  return over(`${what} waited for`, waitedMs, most[when], 'ms');
}

const EARLY_MS = 10; // timers and `performance.now` differ slightly

export function over(what: string, value: number, bound: number, unit: string): string[] {
  return value <= bound ? [] : [`${what} ${value} ${unit}, more than ${bound}`];
}
