// The floor over stdio: starts all servers at once, and requests the tools of each as soon as it answers. No bounds, no
// checks, no deadlines.
import { spawn } from 'node:child_process';
import { cutLines } from '../../wire/lines.mjs';
import { INITIALIZE, INITIALIZED, LIST } from './messages.mjs';

export async function openMany({ servers }) {
  const lists = await Promise.all(servers.map(open));
  return { tools: lists.reduce((sum, tools) => sum + tools.length, 0), lists };
}

function open({ command, args, env }) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  return new Promise((done) => {
    const take = (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) child.stdin.write(`${INITIALIZED}\n${LIST}\n`);
      else done(result.tools);
    };
    child.stdout.on('data', cutLines(take));
    child.stdin.write(`${INITIALIZE}\n`);
  });
}
