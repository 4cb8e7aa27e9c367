import type { Scheme } from '../model/urls/url-gate.js';
import type { FieldTable } from '../model/fields/shape.js';
import { ADDRESS_FIELDS, COMMON_FIELDS, REMOTE_FIELDS } from './entry-fields.js';
import type { Read } from './field-values.js';
import { checkUrl, untypedReader, readRemote } from './fields.js';
import type { RemoteConfig, TransportKind } from './kind.js';

export type RemoteKindConfig<Type extends string, More = undefined> = RemoteConfig & {
  readonly type: Type;
} & (More extends FieldTable ? Read<More> : unknown);

type Kind<Type extends string, More> = TransportKind<RemoteKindConfig<Type, More>>;

interface RemoteKindOptions<Type extends string, More>
  extends
    Pick<Kind<Type, More>, 'type' | 'label' | 'open'>,
    Partial<Omit<Kind<Type, More>, 'type' | 'label' | 'open' | 'locality' | 'table' | 'fields' | 'parse'>> {
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
  const own: FieldTable = more ?? {};
  const readOwn = untypedReader(own);
  const table = { ...COMMON_FIELDS, ...ADDRESS_FIELDS, ...REMOTE_FIELDS, ...own };
  return {
    aliases: [],
    locality: 'remote',
    origin: 'anyone',
    probes: false,
    supportsSignIn: false,
    table,
    fields: ['type', ...Object.keys(table)],
    parse(raw, report) {
      const rest = readOwn({ raw, report, base: [] });
      return { type, ...readRemote(raw, report), ...rest } as RemoteKindConfig<Type, More>;
    },
    check: ({ url }, report) => checkUrl(url, schemes, report),
    target: ({ url }) => ({ kind: 'url', url }),
    ...kind,
  };
}

/** The tools of an editor that a model may use; its other tools are for the editor itself. */
export const IDE_TOOLS: readonly string[] = ['executeCode', 'getDiagnostics'];
