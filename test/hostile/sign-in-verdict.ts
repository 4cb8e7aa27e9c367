import { unreachable } from '../../src/base/never.js';
import { type Connected, FORGED, SECRET, type SignInWanted } from '../../src/testing/expectation.js';
import type { IncomingRequest } from '../../src/testing/http/http-turn.js';
import type { Step } from './figures.js';
import type { SignInFigures } from './sign-in-figures.js';
import {
  callFaults,
  errorFaults,
  type Judging,
  listFaults,
  nextFaults,
  over,
  ruleFaults,
  textFaults,
} from './verdict.js';

/** What the server recorded. */
export interface Seen {
  readonly counts: Readonly<Record<string, number>>;
  readonly log: readonly IncomingRequest[];
}

/** Everything that a host did wrong in a sign-in, one sentence each. */
export function signInFaults(expected: SignInWanted, figures: SignInFigures, seen: Seen, judging: Judging): string[] {
  const { status, refusal, signIn, call, next, neighbour, close } = figures;
  const { bounds } = judging;
  const steps = [refusal, signIn, call, next].filter((one) => one !== undefined);
  return [
    ...(status === 'needs-auth' ? [] : [`before the sign-in the server is ${status}`]),
    ...steps.flatMap(errorFaults),
    ...steps.flatMap((step) => leaks(step, seen.log)),
    ...outcomeFaults(expected, figures, judging),
    ...(figures.end === 'signed-in' && expected.afterwards ? walkFaults(expected.afterwards, figures, judging) : []),
    ...expected.counts.flatMap((rule) => ruleFaults(rule, seen.counts)),
    ...((seen.counts['strayed'] ?? 0) === 0 ? [] : ['a request went to an address that nobody named']),
    ...over('the close waited for', close.waitedMs, bounds.closeMs, 'ms'),
    ...over('before the neighbour was answered the host computed for', neighbour.busiestMs, bounds.neighbourMs, 'ms'),
    ...(neighbour.failed === '' ? [] : [`the neighbour failed: ${neighbour.failed}`]),
  ];
}

function outcomeFaults({ signIn: expected }: SignInWanted, figures: SignInFigures, judging: Judging): string[] {
  const { signIn, end, page = '' } = figures;
  const text = `${signIn.error?.message ?? ''}\n${signIn.error?.hint ?? ''}`;
  const isGivenUp = end === 'cancelled' && expected.when === 'by the deadline';
  const late = over('the sign-in waited for', signIn.waitedMs, limitOf(expected.when, judging), 'ms');
  const shape = [
    ...(/^$|^https?:\/\/[\w.:[\]-]+\/[^\s"'`|<>\\^{}]*$/u.test(page) ? [] : [`the page is ${page.slice(0, 200)}`]),
    ...over('the address of the page has', page.length, PAGE_LIMIT, 'characters'),
  ];
  const isIn = end === 'signed-in';
  switch (expected.kind) {
    case 'signs-in':
      return [...(isIn ? [] : [`the sign-in failed: ${text}`]), ...shape, ...late];
    case 'ends':
      return [...(isIn ? [] : textFaults('the sign-in', text, expected.error)), ...shape, ...late];
    case 'fails':
      return [
        ...(isIn ? ['the sign-in did not fail'] : isGivenUp ? [] : textFaults('the sign-in', text, expected.text)),
        ...((page === '') === (expected.page === 'unseen')
          ? []
          : [`a page was ${page === '' ? 'not ' : ''}shown: ${page}`]),
        ...shape,
        ...late,
      ];
    default:
      return unreachable(expected);
  }
}

const PAGE_LIMIT = 8192;

function limitOf(when: SignInWanted['signIn']['when'], { deadlines, bounds }: Judging): number {
  return when === 'at once' ? bounds.atOnceMs : Math.min(deadlines.connect, bounds.inTimeMs) + bounds.slackMs;
}

type Afterwards = Pick<Connected, 'list' | 'call' | 'next'>;

function walkFaults(expected: Afterwards, figures: SignInFigures, judging: Judging): string[] {
  const { call, next } = figures;
  return [
    ...listFaults(expected, figures, judging),
    ...callFaults(expected.call, call, judging),
    ...nextFaults(expected, { ...(next && { next }) }, judging),
  ];
}

/** Finds credentials that were sent and appear in a text or an error. */
function leaks({ text, error }: Step, log: readonly IncomingRequest[]): string[] {
  const said = `${text} ${error?.message ?? ''} ${error?.hint ?? ''}`;
  const proofs = log.flatMap(({ path, body }) =>
    path === '/token'
      ? ['code_verifier', 'code', 'refresh_token'].map((name) => new URLSearchParams(body).get(name))
      : [],
  );
  return [SECRET, FORGED, ...proofs]
    .filter((one) => one && said.includes(one))
    .map((one) => `a text tells ${String(one)}`);
}
