// What is measured, and what it is measured against.
const MB = 1024 * 1024;
const KB = 1024;
const FLIGHT = 64;

/**
 * `warm`: calls made before any is counted. `count`: how many are counted, fewer where they take too long (child.mjs).
 * Both are the same for every client.
 */
const smallEchoes = {
  stdio: [
    { bytes: 100, flight: 1, warm: 1000, count: 6000 },
    { bytes: 100, flight: FLIGHT, warm: 1000, count: 32_000 },
  ],
  http: [
    { bytes: 100, flight: 1, warm: 1000, count: 3000 },
    { bytes: 100, flight: FLIGHT, warm: 1000, count: 8000 },
  ],
  'in-process': [
    { bytes: 100, flight: 1, warm: 1000, count: 32_000 },
    { bytes: 100, flight: FLIGHT, warm: 1000, count: 32_000 },
  ],
};
const largeEchoes = [
  { bytes: 100 * KB, flight: 1, warm: 20, count: 200 },
  { bytes: 100 * KB, flight: FLIGHT, warm: 64, count: 256 },
];
const answers = [
  { bytes: MB, flight: 1, warm: 3, count: 12 },
  { bytes: 10 * MB, flight: 1, warm: 1, count: 3 },
  { bytes: 50 * MB, flight: 1, warm: 0, count: 2 },
];

export const cases = ['stdio', 'http', 'in-process'].flatMap((transport) => {
  const echoes = [...smallEchoes[transport], ...(transport === 'in-process' ? [] : largeEchoes)];
  return [
    ...echoes.map((one) => toCase(transport, 'echo', one)),
    ...(transport === 'in-process' ? [] : answers.map((one) => toCase(transport, 'big', one))),
  ];
});

export function caseName(transport, tool, bytes, flight = 1) {
  const size = bytes >= MB ? `${bytes / MB} MB` : bytes >= KB ? `${bytes / KB} KB` : `${bytes} B`;
  const what =
    tool === 'echo'
      ? `echo of ${size}, ${flight === 1 ? 'one at a time' : `${flight} in flight`}`
      : `answer of ${size}`;
  return `${transport}: ${what}`;
}

function toCase(transport, tool, one) {
  return { ...one, transport, tool, name: caseName(transport, tool, one.bytes, one.flight) };
}

const everywhere = ['stdio', 'http', 'in-process'];
const isEcho = ({ tool }) => tool === 'echo';
/** A line over 16 MB is for a spill store, in Plugboard's rules; in memory such an answer is refused. */
const isForMemory = ({ bytes }) => bytes <= 16 * MB;

/**
 * In the order of the tables. `floor` marks what the others are compared with; `newer`: needs a newer Node than the
 * oldest that Plugboard runs on, and is compared with the floor on that.
 */
export const clients = [
  { name: 'floor, by hand', file: 'clients/floor-stdio.mjs', transports: ['stdio'], floor: true },
  { name: 'floor, undici dispatch', file: 'clients/floor-undici.mjs', transports: ['http'], floor: true },
  { name: 'bare socket', file: 'clients/floor-socket.mjs', transports: ['http'], only: isEcho },
  { name: 'floor, by hand', file: 'clients/floor-in-process.mjs', transports: ['in-process'], floor: true },
  { name: 'plugboard', file: 'clients/plugboard.mjs', transports: everywhere, own: true, only: isForMemory },
  {
    name: 'plugboard, to a file',
    file: 'clients/plugboard.mjs',
    transports: ['stdio', 'http'],
    own: true,
    variant: 'spill',
    only: (one) => !isForMemory(one),
  },
  { name: 'SDK 2', package: '@modelcontextprotocol/client', file: '../peers/sdk2.mjs', transports: everywhere },
  {
    name: 'SDK 2, line cap raised',
    package: '@modelcontextprotocol/client',
    file: '../peers/sdk2.mjs',
    transports: ['stdio'],
    variant: 'line cap raised',
    only: (one) => !isEcho(one) && one.bytes > MB,
  },
  { name: 'SDK 1', package: '@modelcontextprotocol/sdk', file: '../peers/sdk1.mjs', transports: everywhere },
  { name: 'AI SDK', package: '@ai-sdk/mcp', file: '../peers/ai-sdk.mjs', transports: ['stdio', 'http'], newer: true },
  { name: 'mcporter', package: 'mcporter', file: '../peers/mcporter.mjs', transports: ['stdio', 'http'], newer: true },
];

const CPU_AIM = 1.3;
const IN_PROCESS_AIM_US = 2;
const MEMORY_AIM_MB = 64;
const GROWTH_AIM = 5.5; // five times the bytes: 5 is linear, and a tenth for noise

/** `of`: which figure of which case; `cpu` is the ratio to the floor. */
export const aims = [
  ...[100, 100 * KB].map((bytes) => ({ of: 'cpu', limit: CPU_AIM, case: caseName('stdio', 'echo', bytes, FLIGHT) })),
  { of: 'cpu', limit: CPU_AIM, case: caseName('stdio', 'big', 50 * MB) },
  { of: 'growth', limit: MEMORY_AIM_MB, case: caseName('stdio', 'big', 50 * MB) },
  {
    of: 'linear',
    limit: GROWTH_AIM,
    case: caseName('stdio', 'big', 50 * MB),
    base: caseName('stdio', 'big', 10 * MB),
  },
  ...[100, 100 * KB].flatMap((bytes) =>
    [1, FLIGHT].map((flight) => ({ of: 'cpu', limit: CPU_AIM, case: caseName('http', 'echo', bytes, flight) })),
  ),
  { of: 'cpu', limit: CPU_AIM, case: caseName('http', 'big', 50 * MB) },
  { of: 'growth', limit: MEMORY_AIM_MB, case: caseName('http', 'big', 50 * MB) },
  { of: 'p50', limit: IN_PROCESS_AIM_US, case: caseName('in-process', 'echo', 100) },
];
