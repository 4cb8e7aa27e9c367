import { HostError } from '../base/errors.js';
import { untilAborted } from '../base/until-aborted.js';
import { commonFields, type Fields, readCommon, requireString } from './fields.js';
import type { LinkedEnd } from './in-process-pipe.js';
import type { CommonConfig, EmbeddedServer, TransportKind } from './kind.js';

export interface InProcessConfig extends CommonConfig {
  readonly type: 'in-process';
  /** Under which the embedding program has given it to the host. */
  readonly name: string;
}

/** A server inside the program that embeds Plugboard, reached by function calls. */
export const inProcess: TransportKind<InProcessConfig> = {
  type: 'in-process',
  aliases: [],
  label: 'in-process',
  locality: 'local',
  origin: 'embedder',
  probes: true,
  signsIn: false,
  fields: [...commonFields, 'name'],
  parse(raw, report) {
    const fields: Fields = { raw, report, base: [] };
    return { type: 'in-process', ...readCommon(fields), name: requireString(fields, 'name') };
  },
  check() {},
  target: ({ name }) => ({ kind: 'embedded', name }),
  async open({ name }, { name: server, embedded, signal }) {
    const found = embedded?.get(name);
    if (!found) {
      throw new HostError('start-failed', `Server "${server}" is to be in this program under "${name}", and is not`, {
        hint: 'Only a program that embeds Plugboard can serve it',
      });
    }
    const { linkedPair } = await import('./in-process-pipe.js');
    const { pipe, end } = linkedPair();
    // A server that never says that it has started is not waited for longer than any other. Whoever aborted knows why; the handshake
    // on a pipe that is closed ends at once.
    await untilAborted(start(found, end, server), signal, () => pipe[Symbol.asyncDispose]());
    return pipe;
  },
};

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
