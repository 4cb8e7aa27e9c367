import { type Behaviour, byHand, said, streaming } from '../behaviour.js';
import type { Outcome } from '../clients/contract-client.js';
import type { Stage } from '../stage.js';

const steps = Array.from({ length: 20 }, (_, index) => index + 1);
const labels = ['a', 'b', 'c'];
/** The progress notifications of a call with this label. */
export const told = (label: string): object[] =>
  steps.map((progress) => ({ progress, total: steps.length, message: `${label} ${progress}` }));

export const progress: readonly Behaviour[] = [
  {
    title: 'progress arrives in order, before the answer',
    transports: streaming,
    run: (stage) => watched(stage, 'a'),
    expected: [told('a'), said('done')],
  },
  {
    title: 'progress reaches the call it is about and no other',
    transports: streaming,
    run: (stage) => Promise.all(labels.map((label) => watched(stage, label))),
    expected: labels.map((label) => [told(label), said('done')]),
  },
  {
    title: 'a call asks for progress only when somebody listens',
    run: async (stage) => [await stage.call('token'), await stage.call('token', {}, { onProgress: () => {} })],
    expected: [said('undefined'), said('number')],
  },
  {
    title: 'a listener that throws harms nothing',
    transports: streaming,
    run: async (stage) => {
      const outcome = await stage.call('progress', { steps, label: 'a' }, { onProgress: stumble });
      return [outcome, await stage.call('echo', { text: 'next' })];
    },
    expected: [said('done'), said('next')],
  },
  {
    title: 'progress that falls, comes late or is about nothing is left out',
    servers: byHand,
    transports: streaming,
    run: async (stage) => {
      const seen: unknown[] = [];
      const kind = 'progress for others, falling, and late';
      const outcome = await stage.call('wrong', { kind }, { onProgress: (one) => seen.push(one) });
      await stage.call('echo', { text: 'what came late has come by now' });
      return [seen, outcome];
    },
    expected: [[{ progress: 1 }, { progress: 3 }], said('right')],
  },
];

function stumble(): never {
  throw new Error('a fault of the listener');
}

async function watched(stage: Stage, label: string): Promise<[unknown[], Outcome]> {
  const seen: unknown[] = [];
  const outcome = await stage.call('progress', { steps, label }, { onProgress: (one) => seen.push(one) });
  return [seen.slice(), outcome];
}
