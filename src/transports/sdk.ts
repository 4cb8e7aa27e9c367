import { commonFields, type Fields, readCommon, requireString } from './fields.js';
import type { CommonConfig, TransportKind } from './kind.js';
import { unsupported } from './unsupported.js';

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
  fields: [...commonFields, 'name'],
  parse(raw, report) {
    const fields: Fields = { raw, report, base: [] };
    return { type: 'sdk', ...readCommon(fields), name: requireString(fields, 'name') };
  },
  check() {},
  target: ({ name }) => ({ kind: 'embedded', name }),
  open: unsupported('sdk'),
};
