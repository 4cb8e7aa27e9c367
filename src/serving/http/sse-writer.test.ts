import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { SseParser } from '../../edge/network/sse-parser.js';
import { untilFound } from '../../../test/hang-guard.js';
import { SseWriter, type SseWriterOptions } from './sse-writer.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listen(write: (sse: SseWriter) => void, options?: SseWriterOptions): Promise<number> {
  const server = createServer((_request, response) => write(new SseWriter(response, options)));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What a client gets: the text, and the events as a parser reads them. */
async function read(write: (sse: SseWriter) => void, options?: SseWriterOptions) {
  const asked = request({ port: await listen(write, options), host: '127.0.0.1' }).end();
  const response = await new Promise<AsyncIterable<Buffer> & { headers: IncomingHttpHeaders }>((resolve) => {
    asked.on('response', resolve);
  });
  const events: string[] = [];
  let data = '';
  const parser = new SseParser(
    {
      data: (bytes) => void (data += bytes.toString()),
      event() {
        events.push(`${parser.lastEventId}|${data}`);
        data = '';
      },
      retry: (ms) => void events.push(`retry ${ms}`),
      overflow() {},
    },
    { eventLimit: 1_000_000 },
  );
  let text = '';
  for await (const chunk of response) {
    text += chunk.toString();
    parser.push(chunk);
  }
  return { text, events, headers: response.headers };
}

test('a client reads events with ids, when to come back, and nothing of comments', async () => {
  const { text, events, headers } = await read(
    (sse) => {
      sse.prime('s-0', 500);
      sse.comment();
      sse.event('s-1', '{"a":1}');
      sse.event(undefined, '{"b":"ü"}');
      sse.retry(1500.4);
      sse.end('s-3', '{"c":3}');
    },
    { headers: ['Mcp-Session-Id', 'abc'] },
  );
  expect(events).toEqual(['retry 500', 's-0|', 's-1|{"a":1}', 's-1|{"b":"ü"}', 'retry 1500', 's-3|{"c":3}']);
  expect(text).toMatch(/^retry: 500\nid: s-0\ndata:\n\n:\n\nid: s-1\n/u);
  expect(headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'mcp-session-id': 'abc',
  });
});

test('no line break in what is written begins another line', async () => {
  const { text, events } = await read((sse) => {
    sse.event('s-1\nevent: evil\rdata: x', '{"a":\n1,\r\n"b":2}');
    sse.prime('s-2\n\ndata: evil');
    sse.end(undefined, '{}\n\ndata: evil\n\n');
  });
  expect(events.slice(0, 1)).toEqual(['s-1 event: evil data: x|{"a": 1,  "b":2}']);
  expect(text.split(/[\r\n]+/u).filter((line) => /^(?:event|data: evil)/u.test(line))).toEqual([]);
});

test('what is written after the end is dropped', async () => {
  const { text } = await read((sse) => {
    expect(sse.isOpen).toBe(true);
    sse.end();
    expect(sse.isOpen).toBe(false);
    sse.event('s-1', '{}');
    sse.comment();
    sse.end('s-2', '{}');
  });
  expect(text).toBe('');
});

test('the stream of a client that does not read is cut, and told once', async () => {
  let cuts = 0;
  let written = 0;
  const port = await listen(
    (sse) => {
      const json = JSON.stringify('x'.repeat(100_000));
      // In turns of their own, so that the socket takes what it can.
      const more = (): void => {
        if (!sse.isOpen) return;
        written++;
        sse.event(`s-${written}`, json);
        sse.comment();
        setImmediate(more);
      };
      more();
    },
    { onCut: () => cuts++ },
  );
  const socket = connect(port, '127.0.0.1').on('error', () => {}); // the cut may be a reset
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await untilFound(() => cuts || undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(cuts).toBe(1);
  expect(written).toBeGreaterThan(10);
  socket.destroy();
});

test('a client that reads gets an event that is larger than all that may wait', async () => {
  const json = JSON.stringify('x'.repeat(100_000));
  const { events } = await read((sse) => sse.end('s-1', json), { unsentLimit: 1000 });
  expect(events).toEqual([`s-1|${json}`]);
});

test('a client that reads gets the event that is larger than all that may wait, and what is written right after it', async () => {
  const json = JSON.stringify('x'.repeat(5_000_000));
  const { text } = await read(
    (sse) => {
      sse.event('s-1', json);
      sse.event('s-2', '"next"');
      sse.end('s-3', '"last"');
    },
    { unsentLimit: 1000 },
  );
  expect(text.length).toBeGreaterThan(json.length);
  expect(text.endsWith('id: s-2\ndata: "next"\n\nid: s-3\ndata: "last"\n\n')).toBe(true);
});

test('a client that comes back for more than may wait gets all of it', async () => {
  const json = JSON.stringify('x'.repeat(500_000));
  const missed = Array.from({ length: 20 }, (_, at) => ({ id: `s-${at}`, json }));
  const { events } = await read(
    (sse) => {
      sse.replay(missed);
      sse.event('s-20', '"new"');
      sse.end();
    },
    { unsentLimit: 1000 },
  );
  expect(events).toEqual([...missed.map(({ id }) => `${id}|${json}`), 's-20|"new"']);
});

test.each([undefined, '{}'])('the end of a stream waits for no client that still reads: %s', async (last) => {
  const json = JSON.stringify('x'.repeat(100_000));
  const write = (sse: SseWriter): void => {
    sse.event('s-1', json);
    sse.end(last && 's-2', last);
  };
  const { events } = await read(write, { unsentLimit: 1000 });
  expect(events).toEqual([`s-1|${json}`, ...(last === undefined ? [] : ['s-2|{}'])]);
});

test('a client that has left costs nothing more', async () => {
  const writers: SseWriter[] = [];
  const port = await listen((sse) => {
    writers.push(sse);
    sse.comment();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await untilFound(() => writers.find(({ isOpen }) => !isOpen));
  writers[0]!.event('s-1', '{}');
  writers[0]!.end();
  expect(writers[0]!.isOpen).toBe(false);
});
