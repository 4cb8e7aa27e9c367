import { HostError } from '../../base/errors.js';
import { embeddedKind } from './embedded-kind.js';

/** A server inside the program that embeds Plugboard, reached by control messages; no process is spawned. */
export const sdk = embeddedKind('sdk', async (_, { name, control }) => {
  // The embedding program knows the server by the name of its entry; the entry's `name` field is for display.
  if (!control) {
    throw new HostError(
      'start-failed',
      `Server "${name}" should be in the program that embeds Plugboard, but there is none`,
      {
        hint: 'Only a program that embeds Plugboard, and answers its control messages, can serve it',
      },
    );
  }
  const { openSdkPipe } = await import('./sdk-pipe.js');
  return openSdkPipe(name, control);
});
