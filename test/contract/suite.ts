import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Behaviour, type Era, expectedOf, isPlace, isPossible, type Place, type ServerName } from './behaviour.js';
import { behaviours } from './behaviours/all.js';
import type { ContractClientKind } from './clients/contract-client.js';
import { UNCERTAIN } from './divergence.js';
import { divergenceOf } from './divergences.js';
import { openTheatre, type Patience, type Theatre } from './stage.js';

/**
 * Runs every behaviour that this client and this server can have in an era, over every transport. The transports go on side
 * by side, because most of the time is spent with waiting; what shares a connection goes one after the other.
 */
export function describeContract(kind: ContractClientKind, server: ServerName, era: Era): void {
  const roads = kind.transports.filter((transport) => isPlace({ server, transport, era }));
  describe.concurrent.each(roads)(`${kind.name} and ${server} over %s, ${era}`, (transport) => {
    const place: Place = { server, transport, era };
    let theatre: Theatre;
    beforeAll(() => {
      theatre = openTheatre(kind, place);
    });
    afterAll(() => theatre[Symbol.asyncDispose](), PATIENCE);
    test.sequential.each(casesOf(kind, place))('%s', async (_, wanted) => {
      await check(theatre, wanted);
    });
  });
}

interface Wanted {
  readonly behaviour: Behaviour;
  readonly outcome: unknown;
  readonly patience: Patience;
}

function casesOf({ name }: ContractClientKind, place: Place): [string, Wanted][] {
  return behaviours
    .filter((behaviour) => isPossible(behaviour, place))
    .map((behaviour): [string, Wanted] => {
      const divergence = name === 'oracle' ? divergenceOf(behaviour, place) : undefined;
      const outcome = divergence ? divergence.oracle : expectedOf(behaviour, place);
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

async function check(theatre: Theatre, { behaviour: { own, run }, outcome, patience }: Wanted): Promise<void> {
  await using alone = own && (await theatre.open(own, patience));
  expect(await run(alone ?? (await theatre.shared(patience)))).toEqual(outcome);
}
