// Lists: all pages of 10,000 tools, and the first answer of a gateway with 100 servers that it knows.
import { fileURLToPath } from 'node:url';
import { median } from '../lib/statistics.mjs';
import { Driver } from './driver.mjs';
import { startOurs } from './stacks.mjs';
import { cpuOf } from './usage.mjs';

const TOOLS = 10_000;
const READS = 200; // a tick of the kernel's clock is 10 ms, several readings of the list
const SERVERS = 100;
const script = fileURLToPath(new URL('servers/many-tools.mjs', import.meta.url));

const entry = (...args) => ({ type: 'stdio', command: process.execPath, args: [script, ...args.map(String)] });

export async function measureList({ world, rounds }) {
  const home = world.home('gateway-lists');
  const gateway = await startOurs(world, { home, servers: { echo: entry(TOOLS) } });
  const driver = new Driver({ url: gateway.url, era: 'modern' });
  try {
    await driver.open();
    const { tools, pages, bytes } = await readAll(driver);
    if (tools !== TOOLS) throw new Error(`${tools} tools of ${TOOLS} are listed`);
    for (let index = 0; index < READS; index++) await readAll(driver);
    const samples = [];
    for (let round = 0; round < rounds; round++) {
      const before = cpuOf(gateway.pids);
      for (let index = 0; index < READS; index++) await readAll(driver);
      samples.push((cpuOf(gateway.pids) - before) / READS);
    }
    return { pages, bytes, cpuMs: median(samples), samples };
  } finally {
    driver.close();
    await gateway.close();
  }
}

async function readAll(driver) {
  let [tools, pages, bytes, cursor] = [0, 0, 0];
  do {
    const { body } = await driver.request('tools/list', cursor === undefined ? {} : { cursor });
    pages++;
    bytes += body.length;
    tools += body.split('"inputSchema":').length - 1;
    cursor = /"nextCursor":"([^"]+)"/u.exec(body)?.[1];
  } while (cursor !== undefined);
  return { tools, pages, bytes };
}

/** From exec until a client has all tools, with servers whose lists were kept by an earlier run. */
export async function measureStart({ world, rounds }) {
  const home = world.home('gateway-start');
  const names = Array.from({ length: SERVERS }, (_, index) => `server${index}`);
  const servers = Object.fromEntries(names.map((name, index) => [name, entry(5, `t${index}`)]));
  const samples = [];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    const gateway = await startOurs(world, { home, servers });
    const driver = new Driver({ url: `${gateway.origin}/mcp`, era: 'modern' });
    await driver.open();
    let found = await readAll(driver);
    const ms = performance.now() - began;
    // The first run asks the servers; it goes on until all have answered, so that later ones know their lists.
    const wanted = round === 0 ? SERVERS * 5 : 0;
    while (found.tools < wanted) found = await readAll(driver);
    driver.close();
    await gateway.close();
    if (round > 0) samples.push({ ms, tools: found.tools });
  }
  return {
    ms: median(samples.map((sample) => sample.ms)),
    tools: Math.min(...samples.map(({ tools }) => tools)),
    samples,
  };
}
