import type { Scheme } from '../model/urls/url-gate.js';
import { checkUrl, type Read, readRemote, readFieldTable, remoteFields, type FieldTable } from './fields.js';
import type { RemoteConfig, TransportKind } from './kind.js';

export type RemoteKindConfig<Type extends string, More = undefined> = RemoteConfig & {
  readonly type: Type;
} & (More extends FieldTable ? Read<More> : unknown);

type Kind<Type extends string, More> = TransportKind<RemoteKindConfig<Type, More>>;

interface RemoteKindOptions<Type extends string, More>
  extends
    Pick<Kind<Type, More>, 'type' | 'label' | 'open'>,
    Partial<Omit<Kind<Type, More>, 'type' | 'label' | 'open' | 'locality' | 'fields' | 'parse'>> {
  readonly schemes: readonly Scheme[];
  /** Fields beyond those that every remote entry has. */
  readonly more?: More;
}

/** A kind of remote server; what `kind` leaves out has the usual value. */
export function remoteKind<Type extends string, More extends FieldTable | undefined = undefined>({
  schemes,
  more,
  ...kind
}: RemoteKindOptions<Type, More>): Kind<Type, More> {
  const { type } = kind;
  const table: FieldTable = more ?? {};
  return {
    aliases: [],
    locality: 'remote',
    origin: 'anyone',
    probes: false,
    supportsSignIn: false,
    fields: [...remoteFields, ...Object.keys(table)],
    parse(raw, report) {
      const own = readFieldTable(table, { raw, report, base: [] });
      return { type, ...readRemote(raw, report), ...own } as RemoteKindConfig<Type, More>;
    },
    check: ({ url }, report) => checkUrl(url, schemes, report),
    target: ({ url }) => ({ kind: 'url', url }),
    ...kind,
  };
}

/** The tools of an editor that a model may use; its other tools are for the editor itself. */
export const IDE_TOOLS: readonly string[] = ['executeCode', 'getDiagnostics'];
