import type { Scheme } from '../model/url-gate.js';
import { checkUrl, readRemote, remoteFields } from './fields.js';
import type { RemoteConfig, TransportKind } from './kind.js';

export type RemoteKindConfig<Type extends string> = RemoteConfig & { readonly type: Type };

interface RemoteKindOptions<Type extends string> {
  readonly type: Type;
  readonly label: string;
  readonly schemes: readonly Scheme[];
  readonly aliases?: readonly string[];
  readonly origin?: 'anyone' | 'program';
  /** Whether its servers may speak 2026-07-28. */
  readonly probes?: boolean;
  /** Whether one can sign in to them. */
  readonly signsIn?: boolean;
  readonly onlyTools?: readonly string[];
  readonly open: TransportKind<RemoteKindConfig<Type>>['open'];
  readonly openFallback?: TransportKind<RemoteKindConfig<Type>>['openFallback'];
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
    probes: options.probes ?? false,
    signsIn: options.signsIn ?? false,
    ...(options.onlyTools && { onlyTools: options.onlyTools }),
    fields: remoteFields,
    parse: (raw, report) => ({ type: options.type, ...readRemote(raw, report) }),
    check: ({ url }, report) => checkUrl(url, options.schemes, report),
    target: ({ url }) => ({ kind: 'url', url }),
    open: options.open,
    ...(options.openFallback && { openFallback: options.openFallback }),
  };
}

/** What a model may use of an editor; the rest of its tools are the editor's own business. */
export const IDE_TOOLS: readonly string[] = ['executeCode', 'getDiagnostics'];
