import { answers, called, type Connected, exactly, fails, most } from '../expectation.js';
import { answer, notification } from '../healthy.js';
import type { HttpHandler, HttpTurn } from './http-turn.js';
import { type HttpMode, httpMode } from '../mode.js';
import { endlessLine, forgedAnswers, streamed, streaming } from '../attacks/streaming.js';
import { pour } from '../write.js';

const LOST = /answer|stream|closed|ended|resume|within|timed? ?out/iu;
/** The GET for the stream of notifications, and the attempts to resume a lost stream. */
const RESUMES = most('GET', 8);

/** Streams that break and are resumed, and the GET stream for unsolicited messages. */
export const httpResume: readonly HttpMode[] = [
  httpMode(
    'sse-resume',
    'breaks its stream and answers on the one that takes it up (legal)',
    called(answers('in time'), { counts: [exactly('tools/call attack', 1)] }),
    () => {
      let pending: unknown;
      return {
        style: 'sse',
        attack(turn) {
          pending = turn.id;
          return breakOff(turn, 'id: event-1\nretry: 10\ndata:\n\n');
        },
        async get(turn) {
          if (turn.incoming.headers['last-event-id'] !== 'event-1') return turn.reply({ status: 405 });
          const events = await turn.stream();
          await events.event(answer(pending), { id: 'event-2' });
          return events.end();
        },
      };
    },
  ),
  breaking(
    'sse-retry-zero',
    'breaks its stream again and again, to be asked again at once',
    'id: 1\nretry: 0\ndata:\n\n',
    [RESUMES],
  ),
  breaking(
    'sse-retry-years',
    'breaks its stream, to be asked again in thirty years',
    'id: 1\nretry: 999999999999\ndata:\n\n',
    [RESUMES],
  ),
  breaking(
    'sse-id-inject',
    'breaks its stream behind an id with CR, LF and NUL',
    'id: 1\rX-Evil: yes\ndata:\n\nid: 2\0\r\nX-Evil: yes\ndata:\n\n',
    [RESUMES, exactly('injected', 0)],
  ),
  breaking('sse-id-huge', 'breaks its stream behind an id of 1 MB', `id: ${'x'.repeat(1_000_000)}\ndata:\n\n`, [
    RESUMES,
    exactly('huge id', 0),
  ]),
  httpMode(
    'sse-resume-refused',
    'breaks its stream and refuses whoever takes it up',
    called(fails(LOST, 'by the deadline'), { counts: [RESUMES, exactly('tools/call attack', 1)] }),
    {
      style: 'sse',
      attack: (turn) => breakOff(turn, 'id: 1\nretry: 10\ndata:\n\n'),
      get: ({ reply }) => reply({ status: 500 }),
    },
  ),
  gets('sse-get-401', 'wants somebody to sign in for the stream of notifications', ({ reply }) =>
    reply({ status: 401 }),
  ),
  gets('sse-get-500', 'fails when asked for the stream of notifications', ({ reply }) => reply({ status: 500 })),
  gets('sse-get-html', 'gives a web page as the stream of notifications', ({ reply }) =>
    reply({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<script>alert(1)</script>' }),
  ),
  gets('sse-get-hang', 'never answers when asked for the stream of notifications', () => undefined),
  gets('sse-get-storm', 'ends the stream of notifications at once, to be asked again at once', (turn) =>
    breakOff(turn, 'retry: 0\nid: 1\ndata:\n\n'),
  ),
  gets('sse-get-reset', 'resets the stream of notifications at once', ({ reset }) => reset()),
  gets(
    'sse-get-flood',
    'floods the stream of notifications',
    streaming(({ events }) =>
      pour(events.text, `data: ${notification('notifications/message', { level: 'info', data: 'x' })}\n\n`, Infinity),
    ),
  ),
  gets('sse-get-endless-line', 'begins a line on the stream of notifications and never ends it', endlessLine),
  gets('sse-get-forged', 'forges answers on the stream of notifications', forgedAnswers),
];

/** Sends `text` and ends the stream properly, without an answer. */
function breakOff(turn: HttpTurn, text: string): unknown {
  return streamed(({ events }) => events.text(text))(turn);
}

/** Breaks the stream of the call, and every stream that resumes it. */
function breaking(name: string, summary: string, text: string, counts: Connected['counts']): HttpMode {
  return httpMode(
    name,
    summary,
    called(fails(LOST, 'by the deadline'), { counts: [...counts, exactly('tools/call attack', 1)] }),
    { style: 'sse', attack: (turn) => breakOff(turn, text), get: watchful(text) },
  );
}

function watchful(text: string): HttpHandler {
  return async (turn) => {
    const { headers } = turn.incoming;
    if (headers['x-evil'] !== undefined) turn.count('injected');
    if ((headers['last-event-id'] ?? '').length > 1024) turn.count('huge id');
    if (headers['last-event-id'] === undefined) return turn.reply({ status: 405 });
    return breakOff(turn, text);
  };
}

/** The GET stream for notifications is bad; everything else must work. */
function gets(name: string, summary: string, get: HttpHandler): HttpMode {
  return httpMode(name, summary, called(answers(), { counts: [RESUMES] }), { get, style: 'sse' });
}
