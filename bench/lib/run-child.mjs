import { spawn } from 'node:child_process';

/** Runs a script in a fresh process that writes JSON to descriptor 3. Returns it as `figures`, or `why` not. */
export async function runChild({ node = process.execPath, env, cwd, script, plan, limitMs }) {
  const running = spawn(node, [script, JSON.stringify(plan)], {
    env,
    cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let figures = '';
  let errors = '';
  let late = false;
  const timer = setTimeout(() => ((late = true), running.kill('SIGKILL')), limitMs);
  running.stdio[3].on('data', (chunk) => (figures += chunk));
  running.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-4000)));
  running.on('error', (error) => (errors += error.message));
  const ended = new Promise((done) => running.on('exit', done).on('error', done));
  const read = new Promise((done) => running.stdio[3].on('close', done));
  const [code] = await Promise.all([ended, read]);
  clearTimeout(timer);
  running.stderr.destroy(); // a server that has outlived its client would keep stderr open
  if (code === 0 && figures !== '') return { figures: JSON.parse(figures) };
  return { why: late ? `over ${limitMs / 1000} s` : toReason(errors) };
}

/** The first line that names an error, else the first line that is not empty. */
function toReason(errors) {
  const lines = errors.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => /^\[?(\w*Error|HostError)\b/u.test(line)) ?? lines.find((line) => line !== '') ?? 'no output'
  );
}
