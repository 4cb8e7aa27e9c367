import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Behaviour, expectedOf, isPossible, type ServerName, type Transport, transports } from './behaviour.js';
import { behaviours } from './behaviours/all.js';
import type { ContractClientKind } from './clients/contract-client.js';
import { type Divergence, divergences, UNCERTAIN } from './divergences.js';
import { openTheatre, type Patience, type Theatre } from './stage.js';

/**
 * Runs every behaviour that this client and this server can have, over every transport. The transports go on side by side,
 * because most of the time is spent with waiting; what shares a connection goes one after the other.
 */
export function describeContract(kind: ContractClientKind, server: ServerName): void {
  describe.concurrent.each(transports)(`${kind.name} and ${server} over %s`, (transport) => {
    let theatre: Theatre;
    beforeAll(() => {
      theatre = openTheatre(kind, server, transport);
    });
    afterAll(() => theatre[Symbol.asyncDispose](), PATIENCE);
    test.sequential.each(casesOf(kind, server, transport))('%s', async (_, wanted) => {
      await check(theatre, wanted);
    });
  });
}

interface Wanted {
  readonly behaviour: Behaviour;
  readonly outcome: unknown;
  readonly patience: Patience;
}

function casesOf({ name }: ContractClientKind, server: ServerName, transport: Transport): [string, Wanted][] {
  return behaviours
    .filter((behaviour) => isPossible(behaviour, server, transport))
    .map((behaviour): [string, Wanted] => {
      const divergence = name === 'oracle' ? divergenceOf(behaviour, transport) : undefined;
      const outcome = divergence ? divergence.oracle : expectedOf(behaviour, transport);
      const patience = {
        connectMs: divergence?.silent === 'handshake' ? NO_PATIENCE : PATIENCE,
        callMs: divergence?.silent === 'call' ? NO_PATIENCE : PATIENCE,
      };
      return [divergence ? `${behaviour.title} (differs)` : behaviour.title, { behaviour, outcome, patience }];
    })
    .filter(([, { outcome }]) => outcome !== UNCERTAIN);
}

const PATIENCE = 20_000;
const NO_PATIENCE = 150;

function divergenceOf({ title }: Behaviour, transport: Transport): Divergence | undefined {
  return divergences.find(({ behaviour, transports: roads }) => behaviour === title && roads.includes(transport));
}

async function check(theatre: Theatre, { behaviour: { own, run }, outcome, patience }: Wanted): Promise<void> {
  await using alone = own && (await theatre.open(own, patience));
  expect(await run(alone ?? (await theatre.shared(patience)))).toEqual(outcome);
}
