// What users do through the public door: `Host.open` and `host.call` with a rule that allows, the ledger on and results
// shaped.
const KB = 1024;
const MB = 1024 * KB;
const YOUNG = 2000; // most sessions make no more calls than these
const echo = { tool: 'echo', bytes: 100 };
const stdio = { ...echo, transport: 'stdio', servers: 1, flight: 64, young: YOUNG, warm: 30_000, count: 40_000 };
const inProcess = { ...stdio, transport: 'in-process', flight: 1, warm: 60_000, count: 60_000 };
const burst = { ...stdio, flight: 10_000, young: 0, warm: 10_000 };

/**
 * `young`: the first calls of the process, counted from the first one. `warm`: calls made after these and not counted.
 * `count`: the calls that follow and are counted. All are the same for every client. `servers`: how many take turns in
 * one process. `aims`: the most CPU, compared with the floor (young, warm), us (p50), and MB resident (peak).
 */
export const cases = [
  { ...stdio, name: 'stdio, 64 in flight', aims: { young: 2, warm: 1.5 }, withHooks: true },
  { ...stdio, name: 'stdio, one at a time', flight: 1, warm: 8000, count: 8000, aims: { warm: 1.4 } },
  { ...stdio, name: 'HTTP, 64 in flight', transport: 'http', warm: 10_000, count: 16_000, aims: { warm: 2.44 } },
  { ...inProcess, name: 'in-process, one at a time', aims: { p50: 2 } },
  ...[10, 100].map((servers) => ({ ...stdio, name: `stdio, ${servers} servers`, servers, aims: { warm: 2 } })),
  { ...burst, name: 'stdio, 10,000 in flight', aims: { warm: 1.8, peak: 240 } },
  ...['stdio', 'HTTP'].flatMap((transport) => [
    { ...toAnswer(transport, MB), warm: 10, count: 40, aims: { warm: 2 } },
    { ...toAnswer(transport, 10 * MB), warm: 2, count: 6, aims: { warm: 1.5 } },
  ]),
];

function toAnswer(transport, bytes) {
  const name = `${transport}, answer of ${bytes / MB} MB`;
  return { name, transport: transport.toLowerCase(), tool: 'big', bytes, servers: 1, flight: 1, young: 0 };
}
