import { answers, called, exactly } from './expectation.js';
import type { HttpMode, SseMode, StdioMode, WsMode } from './mode.js';

const ORDERLY = [exactly('initialize', 1), exactly('notifications/initialized', 1), exactly('tools/call attack', 1)];

/** What no host does to a server of 2026-07-28. */
export const STATELESS = ['GET', 'DELETE', 'mismatch', 'with session', 'with event id'].map((what) => exactly(what, 0));

/** Controls: strictness that breaks these is a failure, too. */
export const goodStdio: StdioMode = {
  name: 'good-stdio',
  channel: 'stdio',
  summary: 'does nothing wrong',
  expect: called(answers(), { counts: ORDERLY }),
  behave: () => ({}),
};

export const goodHttp: readonly HttpMode[] = (['json', 'sse'] as const).map((style) => ({
  name: `good-http-${style}`,
  channel: 'http',
  summary: `does nothing wrong, and answers ${style === 'json' ? 'with JSON' : 'with events'}`,
  expect: called(answers(), { counts: [...ORDERLY, exactly('without session', 0)] }),
  behave: () => ({
    style,
    // A good server of events has a stream for notifications and leaves it open.
    ...(style === 'sse' && { get: ({ stream }) => stream() }),
  }),
}));

export const goodSse: SseMode = {
  name: 'good-sse',
  channel: 'sse',
  summary: 'does nothing wrong',
  expect: called(answers(), { counts: [...ORDERLY, exactly('GET', 1)] }),
  behave: () => ({}),
};

export const goodWs: WsMode = {
  name: 'good-ws',
  channel: 'ws',
  summary: 'does nothing wrong',
  expect: called(answers(), { counts: [...ORDERLY, exactly('GET', 1), exactly('unmasked', 0)] }),
  behave: () => ({}),
};

const MODERNLY = [exactly('server/discover', 1), exactly('initialize', 0), exactly('tools/call attack', 1)];

export const goodModernStdio: StdioMode = {
  name: 'good-modern-stdio',
  channel: 'stdio',
  era: 'modern',
  summary: 'does nothing wrong, without a handshake',
  expect: called(answers(), { counts: MODERNLY }),
  behave: () => ({}),
};

export const goodModernHttp: readonly HttpMode[] = (['json', 'sse'] as const).map((style) => ({
  name: `good-modern-http-${style}`,
  channel: 'http',
  era: 'modern',
  summary: `does nothing wrong, without a handshake, and answers ${style === 'json' ? 'with JSON' : 'with events'}`,
  expect: called(answers(), { counts: [...MODERNLY, ...STATELESS] }),
  behave: () => ({ style }),
}));
