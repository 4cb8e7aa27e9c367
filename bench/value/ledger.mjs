// A ledger of 30 days in as many files as the host would have made of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const CALLS = 100_000;
export const TURNS = CALLS / 4;
export const SERVERS = 20;
const TOOLS = 10;
const DAYS = 29.9; // the first line is within the days that are asked for
const BLOCK_TURNS = 50; // after as many turns the host writes again what they show
const FILE_BYTES = 10_485_760;

/** Returns the bytes of all files. */
export function writeLedger(folder) {
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  const lines = [];
  for (let call = 0; call < CALLS; call++) {
    const at = new Date(now - ((CALLS - call) / CALLS) * DAYS * 86_400_000).toISOString();
    if (call % (4 * BLOCK_TURNS) === 0) lines.push({ block: 'k3v9x2m4qa', at, ...block, pid: 4711 });
    if (call % 4 === 0) lines.push({ turn: 'k3v9x2m4qa', at, pid: 4711 });
    lines.push(makeCall(call, at));
  }
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
  const parts = [];
  for (let from = 0; from < text.length;) {
    const end = from + FILE_BYTES >= text.length ? text.length : text.lastIndexOf('\n', from + FILE_BYTES) + 1;
    parts.unshift(text.slice(from, end));
    from = end;
  }
  for (const [at, part] of parts.entries()) writeFileSync(join(folder, `calls.jsonl${at === 0 ? '' : `.${at}`}`), part);
  return text.length;
}

const block = {
  profile: 'anthropic',
  context: 200_000,
  search: 'auto',
  builtIns: 700,
  system: 400,
  servers: Array.from({ length: SERVERS }, (_, server) => [
    `server-${server}`,
    [TOOLS * 80, 0, 20, TOOLS, 50, 0, 0],
    Object.fromEntries(Array.from({ length: TOOLS }, (__, tool) => [`mcp__server-${server}__tool_${tool}`, 80])),
  ]),
};

function makeCall(call, at) {
  const server = `server-${call % SERVERS}`;
  return {
    id: `toolu_01Kx7ZQm2Pw${String(call).padStart(8, '0')}`,
    at,
    tool: `mcp__${server}__tool_${call % TOOLS}`,
    server,
    decision: 'allow',
    rule: 'mcp__server-*',
    outcome: call % 9 === 0 ? 'error' : 'ok',
    ms: 123.4,
    bytesIn: 120,
    bytesOut: 3_000,
    tokens: 750,
    attempts: 1,
    pid: 4711,
  };
}
