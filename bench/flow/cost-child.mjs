// One fresh process of flow.mjs: two hosts, one with the guard and one without, take turns. Argument: a JSON of { inside,
// marked, size, warm, blocks, calls }. Writes JSON to fd 3: microseconds of CPU of the thread for a call and for the result
// of a kilobyte, with and without the guard, and the memory that the guard has taken.
import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadTime } from '../registry/thread-time.mjs';

const PAGE = 20_000; // characters of a result, which a model is shown whole
const { inside, marked, size, warm, blocks, calls } = JSON.parse(process.argv[2]);
const { Host } = await import(pathToFileURL(join(inside, 'index.js')).href);
const { fakeServer } = await import(pathToFileURL(join(inside, 'testing/index.js')).href);
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const next = numbers(7);
const words = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 3 + (next() % 8) }, () => letter(next())).join(''),
);
const pages = Array.from({ length: Math.ceil(marked / PAGE) }, () => prose(Math.min(PAGE, marked)));
const inputs = Array.from({ length: 50 }, () => ({ to: 'ada@example.com', subject: 'News', body: prose(size) }));

const off = await open('off');
const before = memory();
const on = await open('ask');
const opened = memory();
await take(on, pages);
const full = memory();
await take(off, pages);
const young = await measure(20);
for (let at = 0; at < warm; at++) for (const host of [on, off]) await host.send(inputs[at % inputs.length]);
const figures = await measure(calls);
const reading = await measureReading();
if (on.asked() + off.asked() > 0) throw new Error('a call was asked about');
const taken = full - opened - (marked > 0 ? await pagesAlone() : 0);
writeSync(3, JSON.stringify({ young, warm: figures, reading, memory: taken, host: opened - before }));
process.exit(0);

/** Medians over blocks, in which the hosts take turns. */
async function measure(count) {
  const samples = { on: [], off: [] };
  for (let block = 0; block < blocks; block++) {
    for (const [name, host] of block % 2 === 0
      ? [
          ['on', on],
          ['off', off],
        ]
      : [
          ['off', off],
          ['on', on],
        ]) {
      const from = threadTime();
      for (let at = 0; at < count; at++) await host.send(inputs[(block + at) % inputs.length]);
      samples[name].push(((threadTime() - from) / count) * 1000);
    }
  }
  return { on: middle(samples.on), off: middle(samples.off) };
}

/** For a kilobyte of a result, which no conversation has read yet. */
async function measureReading() {
  const samples = { on: [], off: [] };
  for (let block = 0; block < blocks; block++) {
    const fresh = Array.from({ length: 5 }, () => prose(PAGE));
    for (const [name, host] of [
      ['on', on],
      ['off', off],
    ]) {
      const from = threadTime();
      for (const page of fresh) await host.read(page);
      samples[name].push(((threadTime() - from) / ((fresh.length * PAGE) / 1000)) * 1000);
    }
  }
  return { on: middle(samples.on), off: middle(samples.off) };
}

async function open(mode) {
  const home = join(process.env.HOME, mode);
  const config = join(home, '.config/plugboard');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify({ settings: { flow: { mode } } }));
  let page = '';
  let asked = 0;
  const servers = { web: fakeServer({ fetch: () => page }), mail: fakeServer({ send: () => 'Sent' }) };
  const ask = async ({ flow }) => {
    if (flow) asked++;
    return { kind: 'allow', remember: 'session' };
  };
  const host = await Host.open({
    cwd: home,
    env: { ...process.env, HOME: home },
    embedded: new Map(Object.entries(servers)),
    mcpServers: Object.fromEntries(Object.keys(servers).map((name) => [name, { type: 'in-process', name }])),
    permissions: { mode: 'bypass' },
    ports: { ask },
    persist: false,
    watch: false,
  });
  await host.settled();
  return {
    read(text) {
      page = text;
      return host.call({ name: 'mcp__web__fetch' });
    },
    async send(input) {
      const { outcome } = await host.call({ name: 'mcp__mail__send', input });
      if (outcome !== 'ok') throw new Error(`a call ended with ${outcome}`);
      servers.mail.calls.length = 0;
    },
    asked: () => asked,
  };
}

async function take(host, texts) {
  for (const text of texts) await host.read(text);
}

/** What reading the same pages leaves behind in a host without the guard. */
async function pagesAlone() {
  const other = await open('off');
  const from = memory();
  await take(other, pages);
  return memory() - from;
}

function memory() {
  for (let round = 0; round < 3; round++) gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

function middle(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function prose(length) {
  const parts = [];
  for (let left = length; left > 0;) {
    const word = words[next() % words.length];
    parts.push(next() % 12 === 0 ? `${word}.` : word);
    left -= word.length + 1;
  }
  return parts.join(' ').slice(0, length);
}

function letter(number) {
  return String.fromCharCode(97 + (number % 26));
}

/** The same numbers in every process (xorshift). */
function numbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
