import { answers, called, exactly } from './expectation.js';
import type { HttpMode, StdioMode } from './mode.js';

const ORDERLY = [exactly('initialize', 1), exactly('notifications/initialized', 1), exactly('tools/call attack', 1)];

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
