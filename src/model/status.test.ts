import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HostError } from '../base/errors.js';
import { RECONNECT_LIMITS, type ServerEvent, type ServerStatus, transition } from './status.js';

const error = new HostError('connection-closed', 'exit 1');
const lost = (at = 0, jitter = 0): ServerEvent => ({ kind: 'lost', at, jitter, error });
const retry = (at: number): ServerEvent => ({ kind: 'retry', at });
const start: ServerEvent = { kind: 'start', why: 'user', at: 0 };
const opened = (at = 0): ServerEvent => ({ kind: 'opened', protocol: '2025-11-25', at });
const unauthorized: ServerEvent = { kind: 'unauthorized', error, canSignIn: true, at: 0 };
const connected: ServerStatus = { kind: 'connected', protocol: '2025-11-25', since: 0, attempts: 0 };

function check(from: ServerStatus, events: readonly ServerEvent[], expected: readonly string[]): void {
  const seen: string[] = [];
  let status = from;
  for (const event of events) {
    status = transition(status, event, RECONNECT_LIMITS);
    seen.push(
      status.kind === 'reconnecting'
        ? `reconnecting#${status.attempt}@${status.retryAt}`
        : status.kind === 'connected'
          ? `connected#${status.attempts}`
          : status.kind,
    );
  }
  expect(seen).toEqual(expected);
}

test('a lost connection backs off 1 s, 2 s, 4 s, 8 s, 16 s and then fails', () => {
  check(
    connected,
    [lost(), lost(), lost(), lost(), lost(), lost(), lost()],
    [
      'reconnecting#1@1000',
      'reconnecting#2@2000',
      'reconnecting#3@4000',
      'reconnecting#4@8000',
      'reconnecting#5@16000',
      'failed',
      'failed',
    ],
  );
});

test('a user who does not wait has the next attempt made now, and the later ones are left', () => {
  check(
    connected,
    [lost(), retry(400), retry(500), lost(600), retry(700), opened(800)],
    [
      'reconnecting#1@1000',
      'reconnecting#1@400',
      'reconnecting#1@400',
      'reconnecting#2@2600',
      'reconnecting#2@700',
      'connected#2',
    ],
  );
  check({ kind: 'failed', error }, [retry(1)], ['failed']);
  check({ kind: 'disabled', reason: 'user' }, [retry(1)], ['disabled']);
  check(connected, [retry(1)], ['connected#0']);
});

test('chance only shortens a wait', () => {
  check(connected, [lost(0, 1), lost(0, 0.5)], ['reconnecting#1@750', 'reconnecting#2@1750']);
});

test('a first connect that fails ends in failed at once, and by hand it starts again', () => {
  check({ kind: 'pending' }, [lost(), opened(), start, opened()], ['failed', 'failed', 'pending', 'connected#0']);
});

test('a server that keeps dying soon after it came back is given up, although it came back each time', () => {
  check(
    connected,
    [
      lost(10),
      opened(1100),
      lost(1200),
      opened(3300),
      lost(3400),
      opened(7500),
      lost(7600),
      opened(16000),
      lost(16100),
    ],
    [
      'reconnecting#1@1010',
      'connected#1',
      'reconnecting#2@3200',
      'connected#2',
      'reconnecting#3@7400',
      'connected#3',
      'reconnecting#4@15600',
      'connected#4',
      'reconnecting#5@32100',
    ],
  );
  check({ kind: 'connected', protocol: '', since: 0, attempts: 5 }, [lost(59_999)], ['failed']);
});

test('the count starts anew only after a minute of connection', () => {
  check({ kind: 'connected', protocol: '', since: 0, attempts: 4 }, [lost(60_000)], ['reconnecting#1@61000']);
  check({ kind: 'connected', protocol: '', since: 0, attempts: 4 }, [lost(59_000)], ['reconnecting#5@75000']);
});

test('a disabled server hears nothing but that it may run again', () => {
  check(
    { kind: 'pending' },
    [
      { kind: 'disable', reason: 'user', at: 0 },
      opened(),
      lost(),
      unauthorized,
      start,
      { kind: 'enable', at: 0 },
      start,
    ],
    ['disabled', 'disabled', 'disabled', 'disabled', 'disabled', 'idle', 'pending'],
  );
});

test('only a connected server rests, until it is started again', () => {
  const rest: ServerEvent = { kind: 'rest', at: 0 };
  check(connected, [rest, lost(), opened(), start], ['idle', 'idle', 'idle', 'pending']);
  check({ kind: 'pending' }, [rest, opened(), rest], ['pending', 'connected#0', 'idle']);
  check({ kind: 'disabled', reason: 'user' }, [rest], ['disabled']);
});

test('a server that wants a sign-in keeps wanting it when its connection ends', () => {
  check(connected, [unauthorized, lost(), opened(), start], ['needs-auth', 'needs-auth', 'needs-auth', 'pending']);
  check({ kind: 'idle' }, [unauthorized, lost(), opened()], ['idle', 'idle', 'idle']);
});

test('a server that refuses what its entry says of us has failed: there is nothing to sign in with', () => {
  const refused: ServerEvent = { ...unauthorized, canSignIn: false };
  check(connected, [refused, lost(), start], ['failed', 'failed', 'pending']);
  check({ kind: 'pending' }, [refused], ['failed']);
});

test('whatever happens, waits stay between 0.75 and 30 s and there are never more than 5 in a row', () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('lost' as const), jitter: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.constant({ kind: 'opened' as const }),
    fc.constant({ kind: 'start' as const }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.nat(70_000))), (history) => {
      let status: ServerStatus = { kind: 'pending' };
      let at = 0;
      for (const [one, pause] of history) {
        at += pause;
        const full: ServerEvent =
          one.kind === 'lost'
            ? { ...one, error, at }
            : one.kind === 'opened'
              ? { kind: 'opened', protocol: '', at }
              : { kind: 'start', why: 'user', at };
        status = transition(status, full, RECONNECT_LIMITS);
        if (status.kind !== 'reconnecting' || one.kind !== 'lost') continue;
        const wait = status.retryAt - at;
        expect(wait >= 749 && wait <= 30_000 && status.attempt <= 5).toBe(true);
      }
    }),
  );
});

test('a server that wants a sign-in while it is away is not tried again and again', () => {
  const refused: ServerEvent = { ...unauthorized, canSignIn: false };
  check(
    connected,
    [lost(), unauthorized, lost(), opened()],
    ['reconnecting#1@1000', 'needs-auth', 'needs-auth', 'needs-auth'],
  );
  check(
    connected,
    [lost(), lost(), refused, lost()],
    ['reconnecting#1@1000', 'reconnecting#2@2000', 'failed', 'failed'],
  );
  check(connected, [unauthorized, start, opened()], ['needs-auth', 'pending', 'connected#0']);
  check({ kind: 'pending' }, [unauthorized], ['needs-auth']);
  for (const resting of [{ kind: 'idle' }, { kind: 'disabled', reason: 'user' }, { kind: 'failed', error }] as const) {
    check(resting, [unauthorized, lost(), opened()], [resting.kind, resting.kind, resting.kind]);
  }
});
