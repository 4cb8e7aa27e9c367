// One fresh process of load.mjs. Arguments: floor, cold or warm, and a JSON of { lib, files, cwd, warm }.
// Prints one line of JSON: CPU in ms.
import { readFileSync } from 'node:fs';

const [kind, text] = process.argv.slice(2);
const { lib, files, cwd, warm } = JSON.parse(text);

process.stdout.write(JSON.stringify(await run()));

async function run() {
  switch (kind) {
    case 'floor':
      return { floor: timed(readPlain), warm: repeat(readPlain) };
    case 'cold':
      return cold();
    case 'warm': {
      const { loadHostConfig, configHash } = await open();
      return { warm: await repeatAsync(async () => hashAll(await loadHostConfig(options()), configHash)) };
    }
    default:
      throw new Error(`no "${kind}"`);
  }
}

async function cold() {
  const before = process.cpuUsage();
  const { loadHostConfig, configHash } = await open();
  const opened = process.cpuUsage();
  const loaded = await loadHostConfig(options());
  const done = process.cpuUsage();
  hashAll(loaded, configHash);
  const hashed = process.cpuUsage();
  const standings = {};
  for (const { standing } of loaded.servers) standings[standing.kind] = (standings[standing.kind] ?? 0) + 1;
  return {
    import: between(before, opened),
    load: between(opened, done),
    hash: between(done, hashed),
    problems: loaded.problems.map(({ message }) => message),
    standings,
    approvalHashes: Object.fromEntries(loaded.servers.map(({ name, approval }) => [name, approval?.hash])),
  };
}

async function open() {
  const [{ loadHostConfig }, { configHash }] = await Promise.all([
    import(`${lib}/config/load.js`),
    import(`${lib}/config/entries/config-hash.js`),
  ]);
  return { loadHostConfig, configHash };
}

function options() {
  return { cwd, env: process.env, managedDirectories: [] };
}

function hashAll({ servers }, configHash) {
  return servers.map(({ config }) => configHash(config));
}

function readPlain() {
  return files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
}

function between(before, after) {
  return (after.user - before.user + after.system - before.system) / 1000;
}

function timed(work) {
  const before = process.cpuUsage();
  work();
  return between(before, process.cpuUsage());
}

/** CPU ms of one run, in each of `warm.samples` batches; the batches before V8 has settled are left out. */
function repeat(work) {
  const samples = [];
  for (let sample = 0; sample < warm.ahead + warm.samples; sample++) {
    const before = process.cpuUsage();
    for (let turn = 0; turn < warm.batch; turn++) work();
    samples.push(between(before, process.cpuUsage()) / warm.batch);
  }
  return samples.slice(warm.ahead);
}

async function repeatAsync(work) {
  const samples = [];
  for (let sample = 0; sample < warm.ahead + warm.samples; sample++) {
    const before = process.cpuUsage();
    for (let turn = 0; turn < warm.batch; turn++) await work();
    samples.push(between(before, process.cpuUsage()) / warm.batch);
  }
  return samples.slice(warm.ahead);
}
