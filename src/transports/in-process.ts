import { HostError } from '../base/errors.js';
import { commonFields, type Fields, readCommon, requireString } from './fields.js';
import type { CommonConfig, TransportKind } from './kind.js';

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
  fields: [...commonFields, 'name'],
  parse(raw, report) {
    const fields: Fields = { raw, report, base: [] };
    return { type: 'in-process', ...readCommon(fields), name: requireString(fields, 'name') };
  },
  check() {},
  target: ({ name }) => ({ kind: 'embedded', name }),
  async open({ name }, { name: server, embedded }) {
    const found = embedded?.get(name);
    if (!found) {
      throw new HostError('start-failed', `Server "${server}" is to be in this program under "${name}", and is not`, {
        hint: 'Only a program that embeds Plugboard can serve it',
      });
    }
    const { linkedPair } = await import('./in-process-pipe.js');
    const { pipe, end } = linkedPair();
    await found.connect(end);
    return pipe;
  },
};
