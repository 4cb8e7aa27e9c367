import type { Scheme } from '../model/url-gate.js';
import { checkUrl, readRemote, remoteFields } from './fields.js';
import type { RemoteConfig, TransportKind } from './kind.js';
import { unsupported } from './unsupported.js';

export type RemoteKindConfig<Type extends string> = RemoteConfig & { readonly type: Type };

interface RemoteKindOptions<Type extends string> {
  readonly type: Type;
  readonly label: string;
  readonly schemes: readonly Scheme[];
  readonly aliases?: readonly string[];
  readonly origin?: 'anyone' | 'program';
  readonly open?: TransportKind<RemoteKindConfig<Type>>['open'];
}

/** The kinds that differ in nothing but their name and schemes, as far as configuration can tell. */
export function remoteKind<Type extends string>(
  options: RemoteKindOptions<Type>,
): TransportKind<RemoteKindConfig<Type>> {
  return {
    type: options.type,
    aliases: options.aliases ?? [],
    label: options.label,
    locality: 'remote',
    origin: options.origin ?? 'anyone',
    fields: remoteFields,
    parse: (raw, report) => ({ type: options.type, ...readRemote(raw, report) }),
    check: ({ url }, report) => checkUrl(url, options.schemes, report),
    target: ({ url }) => ({ kind: 'url', url }),
    open: options.open ?? unsupported(options.type),
  };
}
