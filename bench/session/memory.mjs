import { waitForEnd } from '../fleet/process.mjs';

const MARK = String.raw`(?:^|[\r\n])> `;
const turn = (name, text) => ({
  name,
  wait: String.raw`turn-is-over[\s\S]*${MARK}`,
  ...(text !== undefined && { send: text }),
});
const afterTurns = [turn('turn 1', 'again\r'), turn('turn 2', 'again\r'), turn('turns')];
const afterPanel = [{ name: 'panel', wait: String.raw`server-0[\s\S]*server-3` }];

/**
 * The peak of resident memory, in KB: at the first prompt, with all servers connected, after three turns with a call
 * each, and with the panel open, which is a run of its own.
 */
export async function measureMemory({ cases, terminals, rounds }) {
  const figures = [];
  for (const one of cases) {
    const samples = [];
    for (let round = 0; round < rounds; round++) {
      const talked = await runOnce(one, 'Say something\r', afterTurns);
      const looked = await runOnce(one, '/mcp\r', afterPanel);
      samples.push({ prompt: talked.prompt, connected: talked.connected, turns: talked.turns, panel: looked.panel });
    }
    figures.push({ name: one.name, isFloor: one.isFloor === true, count: one.count, samples });
  }
  return figures;

  async function runOnce(one, typed, after) {
    const steps = [{ name: 'prompt', wait: '> ' }];
    if (one.count > 0) {
      steps.push({ name: 'connected', wait: 'servers are connected', send: typed }, ...after);
    }
    const noted = await terminals.run({ ...one, steps });
    if (one.mark !== undefined) await waitForEnd(one.mark);
    return noted;
  }
}
