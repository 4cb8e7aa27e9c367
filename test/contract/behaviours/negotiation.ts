// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
import { type Behaviour, byHand, onEach, only, overHttp, said, type Transport } from '../behaviour.js';
import { type ConnectOptions, isFailure } from '../clients/contract-client.js';
import type { Discovery } from '../servers/fixture-discoveries.js';
import type { FixtureOptions } from '../servers/fixture-options.js';

const OLD = '2025-11-25';
const NEW = '2026-07-28';
/** Transports on which the client detects the era. */
const probing: readonly Transport[] = ['in-process', 'stdio', ...overHttp, 'sdk'];

/** How client and server agree on an era. */
export const negotiation = only('modern', [
  spoken('a server of both eras is spoken to in the new one', { speaks: 'both' }, 'auto', NEW),
  spoken('a server of both eras can be spoken to in the old one', { speaks: 'both' }, 'legacy', OLD),
  spoken('a server of both eras can be told to speak the new one', { speaks: 'both' }, 'modern', NEW),
  refused('a server of the old era cannot be told to speak the new one', { speaks: 'legacy' }, 'modern', {
    error: 'unsupported',
  }),
  refused('a server of the new era cannot be told to speak the old one', { speaks: 'modern' }, 'legacy', {
    error: 'rpc',
    rpc: {
      code: -32022,
      message: `Unsupported protocol version: ${OLD}`,
      data: { supported: [NEW], requested: OLD },
    },
  }),
  ...(['versions of both eras', 'another version first', 'its name in the wrong place'] as const).map((discovery) =>
    discovered(discovery, NEW),
  ),
  ...(
    [
      'versions of the old era',
      'no versions',
      'versions that are no list',
      'only versions of the old era first',
      'no version, and no list of them',
      'no such method',
      'wrong parameters',
      'not initialized',
      'a fault of its own',
    ] as const
  ).map((discovery) => discovered(discovery, OLD)),
  {
    ...spoken(
      'a server that dies of the question is started once more',
      { speaks: 'both', probe: 'death' },
      'auto',
      OLD,
    ),
    // The host cannot start the program that embeds it.
    transports: ['in-process', 'stdio', ...overHttp],
  },
  refused(
    'a server of the new era that does not answer the question is quoted, and not what it says to a greeting',
    { speaks: 'modern', discovery: 'a refusal of its own' },
    'auto',
    { error: 'rpc', rpc: { code: -32099, message: 'closed on Sundays' } },
  ),
  {
    ...refused(
      'a server of the new era that dies of the question is told so',
      { speaks: 'modern', probe: 'death' },
      'auto',
      { error: 'closed' },
    ),
    expectedOn: { ...onEach(overHttp, { error: 'http' }), sdk: { error: 'unreachable' } },
  },
  rejected('a version that nobody knows', { error: 'unsupported' }),
  rejected('only a version that nobody knows', { error: 'unsupported' }),
  {
    title: 'a server that speaks newer versions only is not greeted in the old era',
    own: { server: { speaks: 'both', discovery: 'only a version that nobody knows' }, client: { era: 'auto' } },
    servers: byHand,
    transports: overHttp,
    run: (stage) => Promise.resolve(new Set(stage.http!.log.map(({ headers }) => headers['mcp-method']))),
    expected: new Set(['server/discover']),
  },
  {
    title: 'nothing is left of a server that speaks newer versions only',
    own: { server: { speaks: 'both', discovery: 'only a version that nobody knows' }, client: { era: 'auto' } },
    servers: byHand,
    transports: ['stdio'],
    run: (stage) => Promise.resolve(stage.survivors()),
    expected: [],
  },
]);

/** Expects this version, and a call that succeeds. */
function spoken(title: string, server: FixtureOptions, era: ConnectOptions['era'], version: string): Behaviour {
  return {
    title,
    own: { server, client: { era } },
    servers: byHand,
    ...(era === 'auto' && { transports: probing }),
    run: async (stage) => {
      const { opened } = stage;
      return isFailure(opened) ? opened : [opened.handshake.version, await stage.call('echo', { text: 'hello' })];
    },
    expected: [version, said('hello')],
  };
}

function discovered(discovery: Discovery, version: string): Behaviour {
  const era = version === OLD ? 'old' : 'new';
  const title = `a server that answers with ${discovery} is spoken to in the ${era} era`;
  return spoken(title, { speaks: 'both', discovery }, 'auto', version);
}

function refused(title: string, server: FixtureOptions, era: ConnectOptions['era'], expected: unknown): Behaviour {
  return {
    title,
    own: { server, client: { era } },
    servers: byHand,
    ...(era === 'auto' && { transports: probing }),
    run: (stage) => Promise.resolve(isFailure(stage.opened) ? stage.opened : 'connected'),
    expected,
  };
}

function rejected(discovery: Discovery, expected: unknown): Behaviour {
  return refused(`a server that answers with ${discovery} is refused`, { speaks: 'both', discovery }, 'auto', expected);
}
