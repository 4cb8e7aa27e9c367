import type { EmbeddedServer } from '../../../src/transports/kind.js';
import { Fixture, type FixtureOptions } from './fixture.js';

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
