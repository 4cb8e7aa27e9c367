// The limits for Plugboard's own rows.
import { answerName, echoName } from './cases.mjs';

const MB = 1024 * 1024;
const SMALL = 100;
const LARGE = 100 * 1024;
const FLIGHT = 64;
const CPU_AIM = 1.3;
const SSE_CPU_AIM = 1.5;
const IN_PROCESS_AIM_US = 2;
const MEMORY_AIM_MB = 64;
const GROWTH_AIM = 5.5; // five times the bytes: 5 is linear, plus a tenth for noise

/** `of`: the figure that the limit is for; `cpu` is the ratio to the floor. */
export const aims = [
  { of: 'cpu', limit: CPU_AIM, case: echoName('stdio', SMALL, FLIGHT) },
  { of: 'cpu', limit: CPU_AIM, case: echoName('stdio', LARGE, FLIGHT) },
  ...spilled('stdio', CPU_AIM),
  {
    of: 'linear',
    limit: GROWTH_AIM,
    case: answerName('stdio', 50 * MB),
    base: answerName('stdio', 10 * MB),
  },
  ...echoed('http', CPU_AIM),
  ...spilled('http', CPU_AIM),
  ...echoed('sse', SSE_CPU_AIM),
  ...spilled('sse', SSE_CPU_AIM),
  ...echoed('ws', CPU_AIM),
  ...spilled('ws', CPU_AIM),
  { of: 'p50', limit: IN_PROCESS_AIM_US, case: echoName('in-process', SMALL, 1) },
];

function echoed(way, limit) {
  const kinds = [SMALL, LARGE].flatMap((bytes) => [1, FLIGHT].map((flight) => ({ bytes, flight })));
  return kinds.map(({ bytes, flight }) => ({ of: 'cpu', limit, case: echoName(way, bytes, flight) }));
}

/** A result that goes to a file instead of memory. */
function spilled(way, limit) {
  const name = answerName(way, 50 * MB);
  return [
    { of: 'cpu', limit, case: name },
    { of: 'growth', limit: MEMORY_AIM_MB, case: name },
  ];
}
