import { setTimeout as sleep } from 'node:timers/promises';
import { answers, called, ends, exactly, fails, FORGED, HONEST, TIMED_OUT } from '../expectation.js';
import { chunk } from './event-stream.js';
import { answer } from '../healthy.js';
import type { HttpHandler } from './http-turn.js';
import { httpAttack, type HttpMode } from '../mode.js';
import { toHead } from './response-head.js';
import { streamed } from '../attacks/streaming.js';
import { dribble, MB, pour } from '../write.js';

const LARGE = /large|limit|MB|bytes/iu;
const BROKEN = /closed|ended|reset|cut|incomplete|short|length|HTTP|body|socket|connection/iu;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };
const ONCE = [exactly('tools/call attack', 1)];

/** Bodies that are too slow, too large, too short, or badly compressed. */
export const httpBody: readonly HttpMode[] = [
  httpAttack('slow-headers', 'never begins its response', called(fails(TIMED_OUT, 'at the deadline')), () => undefined),
  httpAttack(
    'slow-body',
    'sends a byte of its answer every 100 ms',
    called(fails(TIMED_OUT, 'at the deadline')),
    async ({ id, raw }) => {
      const text = answer(id);
      await raw(toHead(200, { ...JSON_TYPE, 'Content-Length': String(text.length) }));
      await dribble(raw, text, 100);
    },
  ),
  httpAttack(
    'body-byte-chunks',
    'sends its answer in chunks of one byte (legal)',
    called(answers('in time')),
    streamed(({ id, events }) => dribble(events.text, answer(id, `${HONEST} £€😀`)), JSON_TYPE),
  ),
  httpAttack('body-trailers', 'sends headers behind its answer (legal)', called(answers()), async ({ id, raw }) => {
    await raw(toHead(200, { ...CHUNKED, Trailer: 'X-Checksum' }));
    await raw(chunk(answer(id)));
    await raw('0\r\nX-Checksum: 1\r\nMcp-Session-Id: evil\r\n\r\n');
  }),
  httpAttack(
    'body-until-close',
    'ends its answer by closing the connection (legal)',
    called(answers()),
    async ({ id, raw, hangUp }) => {
      await raw(toHead(200, { ...JSON_TYPE, Connection: 'close' }));
      await raw(answer(id));
      hangUp();
    },
  ),
  httpAttack(
    'body-truncated',
    'closes the connection in the middle of its answer',
    broken(),
    async ({ id, raw, hangUp }) => {
      await raw(toHead(200, { ...JSON_TYPE, 'Content-Length': '1000' }));
      await raw(answer(id));
      hangUp();
    },
  ),
  httpAttack(
    'body-truncated-chunks',
    'closes the connection before the last chunk',
    broken(),
    async ({ id, raw, hangUp }) => {
      await raw(toHead(200, CHUNKED));
      await raw(chunk(answer(id).slice(0, -10)));
      hangUp();
    },
  ),
  httpAttack(
    'body-reset',
    'resets the connection in the middle of its answer',
    broken(),
    async ({ id, raw, reset }) => {
      await raw(toHead(200, { ...JSON_TYPE, 'Content-Length': '1000' }));
      await raw(answer(id).slice(0, 30));
      await sleep(20); // a reset would overtake bytes that are still in flight
      reset();
    },
  ),
  httpAttack('body-hang-up', 'closes the connection instead of answering', broken(), ({ hangUp }) => hangUp()),
  httpAttack('body-300mb', 'answers with a text of 300 MB in chunks', large(), pourText(300 * MB, 'x')),
  httpAttack('body-length-300mb', 'announces an answer of 300 MB', large(), async ({ id, raw }) => {
    const text = answer(id);
    const length = text.length + 300 * MB;
    await raw(toHead(200, { ...JSON_TYPE, 'Content-Length': String(length) }));
    await raw(text.slice(0, -5));
    await pour(raw, 'x', 300 * MB);
    await raw(text.slice(-5));
  }),
  httpAttack(
    'body-gzip-bomb',
    'answers with 300 KB that inflate to 300 MB',
    packed(),
    streamed(
      async ({ id, events: { text } }) => {
        const { gzipSync } = await import('node:zlib');
        await text(gzipSync(answer(id).slice(0, -5)));
        const bomb = gzipSync(Buffer.alloc(MB, 'x'));
        for (let part = 0; part < 300; part++) if (!(await text(bomb))) return;
        await text(gzipSync('"}]}}'));
      },
      { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
    ),
  ),
  httpAttack('body-gzip-layers', 'packs its answer ten times over', packed(), async ({ id, json }) => {
    const { gzipSync } = await import('node:zlib');
    let bytes: Buffer = Buffer.from(answer(id));
    for (let layer = 0; layer < 10; layer++) bytes = gzipSync(bytes);
    return json(bytes, { 'Content-Encoding': Array(10).fill('gzip').join(', ') });
  }),
  httpAttack('body-gzip-lie', 'says gzip and sends plain JSON', packed(), ({ id, json }) =>
    json(answer(id), { 'Content-Encoding': 'gzip' }),
  ),
  httpAttack('body-encoding-unknown', 'packs its answer in a way that nobody knows', packed(), ({ id, json }) =>
    json(answer(id), { 'Content-Encoding': 'quantum' }),
  ),
  httpAttack(
    'http-json-deep',
    'nests 1,000,000 arrays',
    called(fails(/deep|depth|nest|level/iu, 'in time'), { counts: ONCE }),
    streamed(async ({ id, events: { text } }) => {
      await text(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":`);
      await pour(text, '[', 1_000_000);
      await pour(text, ']', 1_000_000);
      await text('}}');
    }, JSON_TYPE),
  ),
  httpAttack('http-content-9mb', 'answers with 9 MB of text', called(answers('in time')), pourText(9 * MB)),
  httpAttack('http-content-20mb', 'answers with 20 MB of text', called(ends(LARGE, 'in time')), pourText(20 * MB)),
  httpAttack(
    'body-extra-response',
    'sends a second response that nobody asked for',
    called(answers()),
    async ({ id, json }) => {
      await json(answer(id));
      await json(answer('forged', FORGED));
    },
  ),
];

function broken(): HttpMode['expect'] {
  return called(fails(BROKEN), { counts: ONCE });
}

/** The host refuses the body, or saves it to disk instead of keeping it in memory. */
function large(): HttpMode['expect'] {
  return called(ends(LARGE, 'in time'), { counts: ONCE });
}

/** A host that does not offer this Content-Encoding may refuse; one that decompresses does so within limits. */
function packed(): HttpMode['expect'] {
  return called(ends(/coding|gzip|large|limit|MB|JSON|inflat|unpack/iu, 'in time'), { counts: ONCE });
}

function pourText(bytes: number, unit = 'All work and no play. '): HttpHandler {
  return streamed(async ({ id, events: { text } }) => {
    await text(answer(id, `${HONEST} `).slice(0, -5));
    await pour(text, unit, bytes);
    await text('"}]}}');
  }, JSON_TYPE);
}
