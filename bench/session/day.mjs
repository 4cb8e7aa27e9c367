// A day of work in one session: a thousand turns with a call each, over stream-json, in a context that is compacted on
// the way. Measures the memory of the process as it goes, the file that is kept, and how long resuming it takes.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { commandOf } from '../fleet/process.mjs';
import { showProgress } from '../lib/progress.mjs';
import { startModel } from './model.mjs';

const TURNS = 1_000;
const QUICK_TURNS = 200;
const STEP = 50;
const ROUNDS = 5;
const SETTLED = 0.3; // of the turns: until then caches, compiled code and the heap itself still grow

export async function run({ world, quick }) {
  const turns = quick ? QUICK_TURNS : TURNS;
  const title = `A day of work: ${turns} turns of one session, with a call each`;
  if (process.platform !== 'linux')
    return { title, tables: [], notes: ['day: left out, it reads /proc'], aims: [], figures: {} };
  const model = await startModel(world.env(world.folder));
  try {
    const home = world.home('session-day', {
      '.config/plugboard/config.json': { mcpServers: { 'server-0': commandOf({ name: 'server-0', tools: 5 }) } },
    });
    const env = { ...world.env(home), ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: model.url };
    const place = { program: world.program, env, cwd: join(home, 'project') };
    const { samples, compactions, cpuMs } = await work(place, turns);
    const settled = samples.filter(({ turn }) => turn >= turns * SETTLED);
    const slope = slopeOf(settled) * 100;
    const size = sizeOf(join(home, '.local/state/plugboard/sessions'));
    const fresh = await medianOf(() =>
      runOnce(place, ['-p', 'Go on.', '--no-session-persistence', '--allow', 'mcp__*']),
    );
    const resumed = await medianOf(() =>
      runOnce(place, ['-p', 'Go on.', '--continue', '--fork-session', '--allow', 'mcp__*']),
    );
    return {
      title,
      tables: [
        {
          head: ['what', 'figure'],
          rows: [
            ['resident after 100 turns, after all', `${mb(at(samples, 100))}, ${mb(samples.at(-1).kb)}`],
            [
              `slope of the last ${Math.round((1 - SETTLED) * 100)} %, for 100 turns`,
              `${(slope / 1024).toFixed(2)} MB`,
            ],
            ['compactions', String(compactions)],
            ['CPU of the process for a turn', `${(cpuMs / turns).toFixed(1)} ms`],
            ['the session file', `${(size / 1e6).toFixed(2)} MB`],
            ['-p in a new session, wall', `${fresh.toFixed(0)} ms`],
            ['-p that resumes a fork of it, wall', `${resumed.toFixed(0)} ms`],
          ],
        },
      ],
      notes: ['resident = VmRSS of the process; servers are not in it. Resuming includes copying the file for a fork.'],
      aims: [{ what: 'memory of a long session, for 100 turns', limit: 1, value: slope / 1024, unit: ' MB' }],
      figures: { samples, slope, size, fresh, resumed, compactions },
    };
  } finally {
    model.close();
  }
}

/** Sends one message after the other and looks at the process in between. */
async function work({ program, env, cwd }, turns) {
  const flags = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--allow', 'mcp__*'];
  const child = spawn(process.execPath, [program, ...flags], { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const say = (turn) => {
    const message = { role: 'user', content: `Turn ${turn}: say it again, please.` };
    child.stdin.write(`${JSON.stringify({ type: 'user', message })}\n`);
  };
  const samples = [];
  let [turn, compactions, cpuMs] = [1, 0, 0];
  say(turn);
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text);
    if (line.subtype === 'compact_boundary') compactions++;
    if (line.type !== 'result') continue;
    if (line.is_error) throw new Error(`turn ${turn} failed: ${line.errors}`);
    if (turn % STEP === 0) samples.push({ turn, kb: residentOf(child.pid) });
    showProgress('turns', turn, turns);
    if (turn < turns) say(++turn);
    else {
      cpuMs = cpuOf(child.pid);
      child.stdin.end();
    }
  }
  return { samples, compactions, cpuMs };
}

function mb(kb) {
  return `${(kb / 1024).toFixed(1)} MB`;
}

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
}

/** User and system time of all threads; a tick is 10 ms. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function runOnce({ program, env, cwd }, args) {
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args], { env, cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')} exited with ${code}`))));
  });
  return performance.now() - began;
}

async function medianOf(measure) {
  const all = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await measure());
  return all.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)];
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function at(samples, turn) {
  return samples.find((one) => one.turn >= turn).kb;
}

/** Least squares, in KB for each turn. */
function slopeOf(samples) {
  const mean = (field) => samples.reduce((sum, one) => sum + one[field], 0) / samples.length;
  const [x, y] = [mean('turn'), mean('kb')];
  const over = samples.reduce((sum, one) => sum + (one.turn - x) * (one.kb - y), 0);
  return over / samples.reduce((sum, one) => sum + (one.turn - x) ** 2, 0);
}
