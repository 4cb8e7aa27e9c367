import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { embeddedKind } from './embedded-kind.js';
import type { LinkedEnd } from './in-process-pipe.js';
import type { EmbeddedServer } from '../kind.js';

/** A server inside the program that embeds Plugboard, called directly. */
export const inProcess = embeddedKind('in-process', async ({ name }, { name: server, embedded, signal }) => {
  const found = embedded?.get(name);
  if (!found) {
    throw new HostError('start-failed', `Server "${server}" should be in this program as "${name}", but is not`, {
      hint: 'Only a program that embeds Plugboard can serve it',
    });
  }
  const { linkedPair } = await import('./in-process-pipe.js');
  const { pipe, end } = linkedPair();
  // An aborted start closes the pipe. The caller that aborted knows the reason; the handshake fails at once on a closed
  // pipe.
  await within(start(found, end, server), { signal, instead: () => pipe[Symbol.asyncDispose]() });
  return pipe;
});

async function start(embedded: EmbeddedServer, end: LinkedEnd, server: string): Promise<void> {
  try {
    await embedded.connect(end);
  } catch (cause) {
    throw new HostError('start-failed', `Server "${server}" could not start inside this program`, {
      hint: 'Its own connect() failed; the cause says how',
      cause,
    });
  }
}
