import type { EmbeddedServer } from '../../../src/transports/kind.js';
import { Fixture } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';

/** The fixture at one end of a linked pair. */
export function embedFixture(options: FixtureOptions): EmbeddedServer {
  return {
    connect(end) {
      const fixture = new Fixture(
        { send: (message) => void end.send(message as never), die: () => void end.close() },
        options,
      );
      Object.assign(end, { onmessage: (message: unknown) => fixture.take(message) });
    },
  };
}
