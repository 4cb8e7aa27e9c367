// The cases: fleets of several sizes. Each server has five tools.
const SLOW_MS = 500;

export const TOOLS = 5;

/** `boot`: milliseconds that a server sleeps before it reads its first byte. */
export const cases = [
  ...[1, 10, 50, 100].map((count) => ({ name: fleetName('stdio', count), transport: 'stdio', count, boot: 0 })),
  ...[10, 50].map((count) => ({ name: slowName(count), transport: 'stdio', count, boot: SLOW_MS })),
  ...[100, 500].map((count) => ({ name: fleetName('http', count), transport: 'http', count, boot: 0 })),
];

export function fleetName(transport, count) {
  return `${transport} ${count}`;
}

export function slowName(count) {
  return `slow ${count}`;
}
