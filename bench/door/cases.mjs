// What users do through the public door: `Host.open` and `host.call` with a rule that allows, the ledger on and results
// shaped.
const KB = 1024;
const MB = 1024 * KB;
const YOUNG = 2000; // most sessions make no more calls than these

/**
 * `young`: the first calls of the process, counted from the first one. `warm`: calls made after these and not counted.
 * `count`: the calls of a warm process. All are the same for every client. `servers`: how many of them take turns.
 */
export const cases = [
  {
    name: 'stdio, 64 in flight',
    ...{ transport: 'stdio', tool: 'echo', bytes: 100, flight: 64, young: YOUNG, warm: 30_000, count: 40_000 },
    aims: { young: 2, warm: 1.5 },
  },
  {
    name: 'stdio, one at a time',
    ...{ transport: 'stdio', tool: 'echo', bytes: 100, flight: 1, young: YOUNG, warm: 8000, count: 8000 },
    aims: { warm: 1.4 },
  },
  {
    name: 'HTTP, 64 in flight',
    ...{ transport: 'http', tool: 'echo', bytes: 100, flight: 64, young: YOUNG, warm: 10_000, count: 16_000 },
    aims: { warm: 2.44 },
  },
  {
    name: 'in-process, one at a time',
    ...{ transport: 'in-process', tool: 'echo', bytes: 100, flight: 1, young: YOUNG, warm: 60_000, count: 60_000 },
    p50Aim: 2,
  },
  ...[10, 100].map((servers) => ({
    name: `${servers} stdio servers, 64 in flight`,
    ...{ transport: 'stdio', tool: 'echo', bytes: 100, flight: 64, young: YOUNG, warm: 30_000, count: 40_000, servers },
    aims: { warm: 2 },
    few: true,
  })),
  ...['stdio', 'http'].flatMap((transport) => [
    { name: `${toName(transport)}, answer of 1 MB`, transport, tool: 'big', bytes: MB, flight: 1, warm: 10, count: 40, aims: { warm: 2 } },
    { name: `${toName(transport)}, answer of 10 MB`, transport, tool: 'big', bytes: 10 * MB, flight: 1, warm: 2, count: 6, aims: { warm: 1.5 } },
  ]),
];

function toName(transport) {
  return transport === 'http' ? 'HTTP' : transport;
}
