import type { EmbeddedServer } from '../../../src/transports/kind.js';
import type { FixtureOptions } from './fixture.js';
import { connectOldSdkServer } from './old-sdk-server.js';
import { connectSdkServer } from './sdk-server.js';

/** The official SDK's server at one end of a linked pair, which it takes for a transport of its own. */
export function embedSdk(options: FixtureOptions): EmbeddedServer {
  return { connect: (end) => connectSdkServer(end as never, options, () => void end.close()) };
}

export function embedOldSdk(options: FixtureOptions): EmbeddedServer {
  return { connect: (end) => connectOldSdkServer(end as never, options, () => void end.close()) };
}
