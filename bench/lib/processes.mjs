// CPU and wall time of whole processes, from exec to exit.
//
// The figure wanted is what the kernel charged a child by the time it was gone: user + system of all its threads. The
// kernel keeps it to the nanosecond and hands it out once, in the rusage of wait4(2), in microseconds. Node calls wait4
// inside libuv and throws the rusage away. The other ways are worse: /usr/bin/time and /proc/self/stat (cutime) count in
// ticks of 10 ms, a sixth of what is measured; /proc/PID/schedstat covers one thread and is gone when the process is;
// process.cpuUsage() in a preloaded file adds its own cost and ends before the exit does; perf is seldom installed. So a
// short Python script spawns and waits (wait4.py); where there is no Python, bash's `time` does, cut to milliseconds.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { showProgress } from './progress.mjs';

const TIMEOUT_S = 60; // for one child; the slowest peer needs 2 s

/**
 * Runs every case once per round, the cases taking turns. A case is `{ name, argv, env, cwd, every }`; with `every: 4`
 * it runs in every fourth round; with `isOwnCpu` the CPU of the children that it has waited for is not counted. Returns
 * the list of `{ wall, cpu }` in ms of each case, by name.
 */
export async function measureProcesses(cases, { rounds }) {
  const plan = { rounds, timeout: TIMEOUT_S, cases: cases.map((one) => ({ every: 1, ...one })) };
  const samples = new Map(cases.map(({ name }) => [name, []]));
  const add = ([index, wall, cpu, status, own]) => {
    const { name, isOwnCpu } = cases[index];
    if (status !== 0) throw new Error(`"${name}" ended with ${status} in the middle of a bench`);
    samples.get(name).push({ wall, cpu: isOwnCpu ? (own ?? cpu) : cpu });
  };
  const means = hasPython() ? 'wait4' : 'bash';
  if (means === 'wait4') await runWithPython(plan, add);
  else runWithBash(plan, add);
  return { samples, means };
}

/** One run before any is measured: a command that only prints an error would look fast. */
export function tryOnce({ argv, env, cwd }) {
  const [command, ...args] = argv;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env,
    cwd,
    encoding: 'utf8',
    timeout: TIMEOUT_S * 1000,
  });
  return { ok: status === 0, stdout: stdout ?? '', why: error?.message ?? `exit ${status}: ${stderr}`.slice(0, 300) };
}

function hasPython() {
  const probe = 'import os; os.wait4; os.posix_spawn; os.waitstatus_to_exitcode';
  return spawnSync('python3', ['-c', probe], { stdio: 'ignore' }).status === 0;
}

async function runWithPython(plan, add) {
  const script = fileURLToPath(new URL('wait4.py', import.meta.url));
  const python = spawn('python3', ['-I', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((done, failed) => python.once('error', failed).once('close', done));
  python.stdin.end(JSON.stringify(plan));
  const total = totalRuns(plan);
  let done = 0;
  try {
    for await (const line of createInterface({ input: python.stdout })) {
      add(JSON.parse(line));
      showProgress('processes', ++done, total);
    }
  } finally {
    python.kill();
  }
  const status = await ended;
  if (done !== total) throw new Error(`wait4.py ended with ${status} after ${done} of ${total} runs`);
}

function runWithBash({ cases, rounds, timeout }, add) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" </dev/null >/dev/null 2>/dev/null';
  const total = totalRuns({ cases, rounds });
  let done = 0;
  for (let turn = 0; turn < rounds; turn++) {
    for (let place = 0; place < cases.length; place++) {
      const index = (place + turn) % cases.length;
      const { argv, env, cwd, every } = cases[index];
      if (turn % every !== 0) continue;
      const options = { env, cwd, encoding: 'utf8', timeout: timeout * 1000 };
      const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...argv], options);
      const [wall, user, system] = stderr.trim().replaceAll(',', '.').split(' ').map(Number);
      add([index, wall * 1000, (user + system) * 1000, status]);
      showProgress('processes', ++done, total);
    }
  }
}

function totalRuns({ cases, rounds }) {
  return cases.reduce((sum, { every }) => sum + Math.ceil(rounds / every), 0);
}
