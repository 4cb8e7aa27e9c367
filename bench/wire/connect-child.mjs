// Connects once in a fresh process, as a command does, and then repeatedly, as a host does. Argument: connect.mjs's
// plan, as JSON. Writes one line of JSON to fd 3.
import { writeSync } from 'node:fs';

const TIMES = 12;
const { lib, entry, folder, cache, hash } = JSON.parse(process.argv[2]);
const [{ ConnectionFactory }, { parseEntry }] = await Promise.all(
  ['connection/connection-factory.js', 'transports/kinds.js'].map((file) => import(`${lib}/${file}`)),
);
const { env, platform } = process;
const dock = new ConnectionFactory({ env, platform, cwd: folder, state: undefined, cache });
const { config } = parseEntry(entry);

const first = await connect();
const next = [];
while (next.length < TIMES) next.push(await connect());
await dock[Symbol.asyncDispose]();
const middle = (name) => next.map((one) => one[name]).toSorted((a, b) => a - b)[TIMES / 2];
writeSync(
  3,
  JSON.stringify({ firstWall: first.wall, firstCpu: first.cpu, nextWall: middle('wall'), nextCpu: middle('cpu') }),
);

async function connect() {
  const used = process.cpuUsage();
  const started = performance.now();
  const connection = await dock.connect({ name: 'bench', config, hash });
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(used);
  if (connection.session.era !== 'legacy') throw new Error(`it speaks ${connection.session.era}`);
  await connection[Symbol.asyncDispose]();
  return { wall, cpu: (user + system) / 1000 };
}
