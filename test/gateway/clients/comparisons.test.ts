import { describe, test } from 'vitest';
import { isServing } from '../start-gateway.js';
import { checkSame, overHttp, overStdioAmongAll, ways } from './comparison.js';
import { sdk1, sdk2, sdk2Legacy } from './sdk-clients.js';
import { upstreams } from './upstreams.js';

// Clients and servers that nobody here wrote: what a client gets through the gateway is what it gets from the server.

// All of them in test:full.
const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const all = [sdk1, sdk2Legacy, sdk2]
  .flatMap((kind) => ways.map((way) => [kind.name, way.name, kind, way] as const))
  .filter(([, , kind, way]) => way === overHttp || way === overStdioAmongAll || kind === sdk2);
const some = all.filter(
  ([, , kind, way]) => (way === overHttp && kind !== sdk2Legacy) || (way === overStdioAmongAll && kind === sdk2),
);

describe.skipIf(!isServing).each(upstreams.map((upstream) => [upstream.name, upstream] as const))(
  '%s',
  (_, upstream) => {
    test.each(isFull ? all : some)('gives %s %s what it gives directly', (_kind, _way, kind, way) =>
      checkSame(upstream, kind, way),
    );
  },
);
