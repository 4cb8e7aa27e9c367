// One fresh process of results.mjs. Argument: a JSON of { kind, megabytes, inside, folder }. Prints one line of JSON.
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cpuSince, peakMegabytes } from '../lib/own-usage.mjs';
import { makeText } from '../wire/text.mjs';

const { kind, megabytes, inside, folder } = JSON.parse(process.argv[2]);
const load = (file) => import(pathToFileURL(join(inside, file)).href);
const [{ shapeResult }, { spillFolder }, { ImageResizer }] = await Promise.all(
  ['results/shape-result.js', 'edge/spill/spill-folder.js', 'results/binary/image-resizer.js'].map(load),
);
const MB = 1_000_000;
const TIMER_MS = 5;
const WEEK_MS = 604_800_000;
const options = {
  name: 'mcp__bench__big',
  server: 'bench',
  tokenLimit: 25_000,
  store: spillFolder(join(folder, 'results'), { limits: () => ({ bytes: 1024 * MB, ageMs: WEEK_MS }) }),
  images: new ImageResizer(),
};
const frame = { outcome: 'ok', saved: [], notes: [], attempts: 1 };

process.stdout.write(JSON.stringify(kind === 'small' ? await measureSmall() : await measureLarge()));
process.exit(0);

async function measureLarge() {
  const { work, floor, bytes } = await prepare();
  await shapeResult({ ...frame, content: [{ type: 'text', text: 'a\u200b' }] }, options); // loads lazy modules
  globalThis.gc();
  forgetPeak();
  const before = peakMegabytes();
  let last = performance.now();
  let stall = 0;
  const look = () => {
    const now = performance.now();
    stall = Math.max(stall, now - last - TIMER_MS);
    last = now;
  };
  const timer = setInterval(look, TIMER_MS);
  const used = process.cpuUsage();
  const started = performance.now();
  const { saved } = await work();
  const wall = performance.now() - started;
  const cpu = cpuSince(used);
  look();
  clearInterval(timer);
  const growth = peakMegabytes() - before;
  if (saved.length !== 1 || saved[0].bytes < bytes) throw new Error(`${JSON.stringify(saved)} was saved`);
  const began = process.cpuUsage();
  await floor?.();
  return { wall, cpu, stall, growth, floor: floor === undefined ? 0 : cpuSince(began) };
}

async function prepare() {
  const bytes = megabytes * MB;
  if (kind === 'stdio') return { work: await overStdio(bytes), bytes };
  if (kind === 'text') {
    const text = Buffer.from(makeText(bytes)).toString('latin1'); // one flat string, as the wire would give it
    return {
      work: () => shapeResult({ ...frame, content: [{ type: 'text', text }] }, options),
      floor: () => writeFile(join(folder, 'floor'), text),
      bytes,
    };
  }
  const structuredContent = { rows: makeRows(bytes), total: 1 };
  const text = kind === 'twice' ? JSON.stringify(structuredContent) : 'see the rows';
  return {
    work: () => shapeResult({ ...frame, content: [{ type: 'text', text }], structuredContent }, options),
    floor: () => writeFile(join(folder, 'floor'), JSON.stringify(structuredContent)),
    bytes: bytes * 0.9,
  };
}

function makeRows(bytes) {
  const rows = [];
  for (let id = 0, size = 0; size < bytes; id++) {
    const row = { id, name: `somebody ${id % 977}`, at: 1_763_200_000.5 + id, tags: id % 3 === 0 ? ['new'] : [] };
    size += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  return rows;
}

/** From a server's response to what a model is shown. */
async function overStdio(bytes) {
  const [{ ConnectionFactory }, { callTool }, { parseEntry }] = await Promise.all(
    ['connection/connection-factory.js', 'connection/requests/call-tool.js', 'transports/kinds.js'].map(load),
  );
  const server = fileURLToPath(new URL('../wire/servers/stdio.mjs', import.meta.url));
  const { config } = parseEntry({ command: process.execPath, args: [server, 'legacy', String(bytes)] });
  const dock = new ConnectionFactory({
    env: process.env,
    platform: process.platform,
    cwd: folder,
    state: folder,
    embedded: new Map(),
  });
  const link = await dock.connect({ name: 'bench', config });
  const { spill } = dock;
  for (let turn = 0; turn < 20; turn++) await callTool(link, { tool: 'echo', input: { text: 'hi' } }, { spill });
  return async () => {
    const { content, saved, notes } = await callTool(link, { tool: 'big', input: { bytes } }, { spill });
    return shapeResult({ ...frame, content, saved, notes }, options);
  };
}

async function measureSmall() {
  const [long, longer, longest] = [20_000, 25_000, 60_000].map((length) => makeText(length));
  const content = [{ type: 'text', text: makeText(100) }];
  const short = { ...frame, content };
  return {
    '100 B of text': await perCall(() => shapeResult(short, options), 1_000_000),
    '100 B, structured as well': await perCall(
      () =>
        shapeResult({ ...frame, content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } }, options),
      50_000,
    ),
    '20 KB of text': await perCall(
      () => shapeResult({ ...frame, content: [{ type: 'text', text: long }] }, options),
      5_000,
    ),
    '25,000 characters of text': await perCall(
      () => shapeResult({ ...frame, content: [{ type: 'text', text: longer }] }, options),
      3_000,
    ),
    '60,000 characters of text': await perCall(
      () => shapeResult({ ...frame, content: [{ type: 'text', text: longest }] }, options),
      1_500,
    ),
  };
}

async function perCall(work, calls) {
  const repeat = async (count) => {
    for (let turn = 0; turn < count; turn++) {
      const shaped = work();
      if (shaped instanceof Promise) await shaped;
    }
  };
  await repeat(calls / 10);
  const used = process.cpuUsage();
  await repeat(calls);
  return (cpuSince(used) * 1e6) / calls;
}

/** Resets the peak, so that making the text is not measured. */
function forgetPeak() {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}
