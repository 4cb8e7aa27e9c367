// A minimal script by hand for one command: starts the servers, sends the requests, prints, closes their stdin and waits
// for their exit. Arguments: list or call, and the command of one server; or list-all, and a file with the entries of
// many, which it starts at once. The floor of one-shot commands in start.mjs.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [what, first, ...rest] = process.argv.slice(2);
const clientInfo = { name: 'by-hand', version: '1.0.0' };
const servers = what === 'list-all' ? JSON.parse(readFileSync(first, 'utf8')).mcpServers : { '': toEntry() };
for (const [name, entry] of Object.entries(servers)) start(name, entry);

function toEntry() {
  return { command: first, args: rest };
}

function start(name, { command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
  ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });

  function take({ id, result }) {
    if (id === 1) {
      write({ method: 'notifications/initialized' });
      ask(2, 'tools/list', {});
    } else if (id === 2 && what === 'call') {
      ask(3, 'tools/call', { name: 'echo', arguments: { text: 'hello' } });
    } else {
      if (what === 'list-all') process.stdout.write(`${name} ${result.tools.length}\n`);
      else for (const tool of result.tools ?? []) process.stdout.write(`${tool.name}\n`);
      for (const { text: said } of result.content ?? []) process.stdout.write(`${said}\n`);
      child.stdin.end();
    }
  }

  function ask(id, method, params) {
    write({ id, method, params });
  }

  function write(message) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
