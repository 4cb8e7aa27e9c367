import { COMMON_FIELDS, EMBEDDED_FIELDS } from '../entry-fields.js';
import { readCommon, requireString } from '../fields.js';
import type { CommonConfig, TransportKind } from '../kind.js';

export interface EmbeddedConfig<Type extends string> extends CommonConfig {
  readonly type: Type;
  /** in-process: the name under which the embedding program registered the server. sdk: for display only. */
  readonly name: string;
}

/** A kind of server that only a program that embeds Plugboard can provide. */
export function embeddedKind<Type extends string>(
  type: Type,
  open: TransportKind<EmbeddedConfig<Type>>['open'],
): TransportKind<EmbeddedConfig<Type>> {
  const table = { ...COMMON_FIELDS, ...EMBEDDED_FIELDS };
  return {
    type,
    aliases: [],
    label: type,
    locality: 'local',
    origin: 'embedder',
    probes: true,
    supportsSignIn: false,
    table,
    fields: ['type', ...Object.keys(table)],
    parse(raw, report) {
      const fields = { raw, report, base: [] };
      return { type, ...readCommon(fields), name: requireString(fields, 'name') };
    },
    check() {},
    target: ({ name }) => ({ kind: 'embedded', name }),
    open,
  };
}
