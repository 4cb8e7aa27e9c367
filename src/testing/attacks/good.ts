import { answers, called, exactly } from '../expectation.js';
import { httpMode, type Mode, sseMode, stdioMode, wsMode } from '../mode.js';

const ORDERLY = [exactly('initialize', 1), exactly('notifications/initialized', 1), exactly('tools/call attack', 1)];
const MODERNLY = [exactly('server/discover', 1), exactly('initialize', 0), exactly('tools/call attack', 1)];

/** What a correct host never sends to a server of 2026-07-28. */
export const STATELESS = ['GET', 'DELETE', 'mismatch', 'with session', 'with event id'].map((what) => exactly(what, 0));

const STYLES = [
  { style: 'json', with: 'with JSON' },
  { style: 'sse', with: 'with events' },
] as const;

/** Healthy servers, as a control: a host that is too strict for one of them fails, too. */
export const good: readonly Mode[] = [
  stdioMode('good-stdio', 'does nothing wrong', called(answers(), { counts: ORDERLY }), {}),
  stdioMode(
    'good-modern-stdio',
    'does nothing wrong, without a handshake',
    called(answers(), { counts: MODERNLY }),
    {},
    { era: 'modern' },
  ),
  ...STYLES.map(({ style, with: how }) =>
    httpMode(
      `good-http-${style}`,
      `does nothing wrong, and answers ${how}`,
      called(answers(), { counts: [...ORDERLY, exactly('without session', 0)] }),
      // A healthy server that answers with events also has a GET stream for notifications, and leaves it open.
      { style, ...(style === 'sse' && { get: ({ stream }) => stream() }) },
    ),
  ),
  ...STYLES.map(({ style, with: how }) =>
    httpMode(
      `good-modern-http-${style}`,
      `does nothing wrong, without a handshake, and answers ${how}`,
      called(answers(), { counts: [...MODERNLY, ...STATELESS] }),
      { style },
      { era: 'modern' },
    ),
  ),
  sseMode('good-sse', 'does nothing wrong', called(answers(), { counts: [...ORDERLY, exactly('GET', 1)] }), {}),
  wsMode(
    'good-ws',
    'does nothing wrong',
    called(answers(), { counts: [...ORDERLY, exactly('GET', 1), exactly('unmasked', 0)] }),
    {},
  ),
];
