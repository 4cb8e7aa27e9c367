import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Behaviour,
  type Era,
  expectedOf,
  isPlace,
  isPossible,
  TIMEOUT,
  type Place,
  type ServerName,
  type Transport,
} from './behaviour.js';
import { behaviours } from './behaviours/all.js';
import type { ContractClientKind } from './clients/contract-client.js';
import { UNCERTAIN } from './divergence.js';
import { divergenceOf } from './divergences.js';
import { openTheatre, type Timeout, type Theatre } from './stage.js';

/**
 * Runs every behaviour that is possible with this client, server and era, over every transport. Transports run
 * concurrently, because most of the time is waiting; behaviours that share a connection run one after the other.
 */
export function describeContract(kind: ContractClientKind, server: ServerName, era: Era): void {
  const contexts = kind.transports
    .filter((transport) => isPlace({ server, transport, era }))
    .filter((transport) => FULL || everyday(kind, server).includes(transport));
  describe.concurrent.each(contexts)(`${kind.name} and ${server} over %s, ${era}`, (transport) => {
    const place: Place = { server, transport, era };
    let theatre: Theatre;
    beforeAll(() => {
      theatre = openTheatre(kind, place);
    });
    afterAll(() => theatre[Symbol.asyncDispose]());
    test.sequential.each(casesOf(kind, place))('%s', async (_, wanted) => {
      await check(theatre, wanted);
    });
  });
}

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;

/**
 * The transports of the everyday run: with the fixture all but two variants of HTTP, with an SDK server two, with the
 * oracle one. test:full runs the others.
 */
function everyday({ name, transports }: ContractClientKind, server: ServerName): readonly Transport[] {
  if (name === 'oracle') return ['in-process'];
  return server === 'fixture' ? transports.filter((one) => !HTTP_AGAIN.includes(one)) : ['stdio', 'http'];
}

const HTTP_AGAIN: readonly Transport[] = ['http-json', 'connector'];

interface Wanted {
  readonly behaviour: Behaviour;
  readonly outcome: unknown;
  readonly timeout: Timeout;
}

function casesOf({ name }: ContractClientKind, place: Place): [string, Wanted][] {
  return behaviours
    .filter((behaviour) => isPossible(behaviour, place))
    .map((behaviour): [string, Wanted] => {
      const divergence = name === 'oracle' ? divergenceOf(behaviour, place) : undefined;
      const outcome = divergence ? divergence.oracle : expectedOf(behaviour, place);
      const timeout = {
        connectMs: divergence?.silent === 'handshake' ? NO_TIMEOUT : TIMEOUT,
        callMs: divergence?.silent === 'call' ? NO_TIMEOUT : TIMEOUT,
      };
      return [divergence ? `${behaviour.title} (differs)` : behaviour.title, { behaviour, outcome, timeout }];
    })
    .filter(([, { outcome }]) => outcome !== UNCERTAIN);
}

const NO_TIMEOUT = 150;

async function check(theatre: Theatre, { behaviour: { own, run }, outcome, timeout }: Wanted): Promise<void> {
  await using alone = own && (await theatre.open(own, timeout));
  expect(await run(alone ?? (await theatre.shared(timeout)))).toEqual(outcome);
}
