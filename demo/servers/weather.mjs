// A small MCP server on HTTP, without any library. To start it by hand: node servers/weather.mjs [PORT]
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { answering } from './answer.mjs';

const skies = ['clear', 'cloudy', 'rain', 'snow'];
const BODY_LIMIT = 100_000;
const DAYS = 3650; // 130 kB, more than a model should read at once

const answer = answering('weather', {
  forecast: {
    description: 'Tells what the sky will be like; it makes it up',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    annotations: { readOnlyHint: true },
    run: ({ city }) => `${city}: ${skies[String(city).length % skies.length]}`,
  },
  history: {
    description: 'Lists the sky of every day of ten years; it makes it up',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    annotations: { readOnlyHint: true },
    run: ({ city }) => Array.from({ length: DAYS }, (_, day) => toDay(String(city), day)).join('\n'),
  },
});

function toDay(city, day) {
  const date = new Date(Date.UTC(2016, 0, 1 + day)).toISOString().slice(0, 10);
  return `${date} ${city}: ${skies[(day * 7 + city.length) % skies.length]}, ${(day * 13) % 35} degrees`;
}

/** Resolves when the server listens, on 127.0.0.1 only. Port 0 takes any free port. */
export async function openWeather(port) {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  return {
    port: server.address().port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function serve(request, response) {
  try {
    if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
    const message = await answer(JSON.parse(await read(request)));
    if (!message) return response.writeHead(202).end();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  } catch {
    return response.writeHead(400).end(); // not JSON, or more than BODY_LIMIT
  }
}

async function read(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > BODY_LIMIT) throw new Error('too much');
  }
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { port } = await openWeather(Number(process.argv[2] ?? 8931));
  process.stdout.write(`weather: http://127.0.0.1:${port}/mcp\n`);
}
