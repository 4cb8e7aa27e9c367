// The cases: calls of several sizes, over every transport and era.
const MB = 1024 * 1024;
const KB = 1024;
const FLIGHT = 64;

/**
 * `warm`: calls made before any is counted. `count`: how many are counted, fewer where they take too long (child.mjs).
 * Both are the same for every client.
 */
const smallEchoes = {
  pipe: [
    { bytes: 100, flight: 1, warm: 1000, count: 6000 },
    { bytes: 100, flight: FLIGHT, warm: 1000, count: 32_000 },
  ],
  http: [
    { bytes: 100, flight: 1, warm: 1000, count: 3000 },
    { bytes: 100, flight: FLIGHT, warm: 1000, count: 8000 },
  ],
  memory: [
    { bytes: 100, flight: 1, warm: 1000, count: 32_000 },
    { bytes: 100, flight: FLIGHT, warm: 1000, count: 32_000 },
  ],
};
const largeEcho = { bytes: 100 * KB, flight: 1, warm: 20, count: 200 };
const largeEchoes = [largeEcho, { bytes: 100 * KB, flight: FLIGHT, warm: 64, count: 256 }];
const oneMegabyte = { bytes: MB, flight: 1, warm: 3, count: 12 };
const tenMegabytes = { bytes: 10 * MB, flight: 1, warm: 1, count: 3 };
const fiftyMegabytes = { bytes: 50 * MB, flight: 1, warm: 0, count: 2 };
const allAnswers = [oneMegabyte, tenMegabytes, fiftyMegabytes];

/**
 * A way is a transport and an era. The later ways leave out cases whose costs are in code that they share with the
 * first two; results in control envelopes (`sdk`) can only go to memory.
 */
export const ways = [
  { name: 'stdio', transport: 'stdio', echoes: [...smallEchoes.pipe, ...largeEchoes], answers: allAnswers },
  { name: 'http', transport: 'http', echoes: [...smallEchoes.http, ...largeEchoes], answers: allAnswers },
  {
    name: 'sse',
    transport: 'sse',
    echoes: [...smallEchoes.http, ...largeEchoes],
    answers: [tenMegabytes, fiftyMegabytes],
  },
  {
    name: 'ws',
    transport: 'ws',
    echoes: [...smallEchoes.pipe, ...largeEchoes],
    answers: [tenMegabytes, fiftyMegabytes],
  },
  { name: 'sdk', transport: 'sdk', echoes: [...smallEchoes.pipe, largeEcho], answers: [tenMegabytes] },
  {
    name: 'stdio modern',
    transport: 'stdio',
    era: 'modern',
    echoes: [...smallEchoes.pipe, largeEcho],
    answers: [tenMegabytes],
  },
  {
    name: 'http modern',
    transport: 'http',
    era: 'modern',
    echoes: [...smallEchoes.http, largeEcho],
    answers: [tenMegabytes],
  },
  { name: 'in-process', transport: 'in-process', echoes: smallEchoes.memory, answers: [] },
];

export const cases = ways.flatMap(({ name: way, transport, era = 'legacy', echoes, answers }) => [
  ...echoes.map((one) => ({ ...one, way, transport, era, tool: 'echo', name: echoName(way, one.bytes, one.flight) })),
  ...answers.map((one) => ({ ...one, way, transport, era, tool: 'big', name: answerName(way, one.bytes) })),
]);

export function echoName(way, bytes, flight) {
  return `${way}: echo of ${toSize(bytes)}, ${flight === 1 ? 'one at a time' : `${flight} in flight`}`;
}

export function answerName(way, bytes) {
  return `${way}: answer of ${toSize(bytes)}`;
}

function toSize(bytes) {
  return bytes >= MB ? `${bytes / MB} MB` : bytes >= KB ? `${bytes / KB} KB` : `${bytes} B`;
}
