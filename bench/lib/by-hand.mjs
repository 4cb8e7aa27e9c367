// A minimal script by hand for one command on one server: starts it, sends the requests, prints, closes its stdin and
// waits for its exit. Arguments: list or call, then the server's command. The floor of one-shot commands in start.mjs.
import { spawn } from 'node:child_process';

const [what, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const clientInfo = { name: 'by-hand', version: '1.0.0' };
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
    for (const { name } of result.tools ?? []) process.stdout.write(`${name}\n`);
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
