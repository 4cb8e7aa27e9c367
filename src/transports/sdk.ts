import { HostError } from '../base/errors.js';
import { commonFields, type Fields, readCommon, requireString } from './fields.js';
import type { CommonConfig, TransportKind } from './kind.js';

export interface SdkConfig extends CommonConfig {
  readonly type: 'sdk';
  readonly name: string;
}

/** A server inside the program that embeds Plugboard, reached by control messages; no process is spawned. */
export const sdk: TransportKind<SdkConfig> = {
  type: 'sdk',
  aliases: [],
  label: 'sdk',
  locality: 'local',
  origin: 'embedder',
  probes: true,
  signsIn: false,
  fields: [...commonFields, 'name'],
  parse(raw, report) {
    const fields: Fields = { raw, report, base: [] };
    return { type: 'sdk', ...readCommon(fields), name: requireString(fields, 'name') };
  },
  check() {},
  target: ({ name }) => ({ kind: 'embedded', name }),
  // The embedding program knows a server by the name of its entry; the name within is for people.
  async open(_, { name, control }) {
    if (!control) {
      throw new HostError(
        'start-failed',
        `Server "${name}" is to be in the program that started Plugboard, and none did`,
        {
          hint: 'Only a program that embeds Plugboard, and answers its control messages, can serve it',
        },
      );
    }
    const { openSdkPipe } = await import('./sdk-pipe.js');
    return openSdkPipe(name, control);
  },
};
