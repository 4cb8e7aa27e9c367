/** What an action takes. Usage, flags, completion and the words behind `/mcp` follow from it. */
export type ArgumentSpec =
  /** The name of the server that it is about; `isOptional`: of all that may run, where none is named. */
  | { readonly kind: 'server'; readonly isOptional?: true }
  /** Names of servers; none may mean all of some sort. */
  | { readonly kind: 'servers' }
  /** What a face knows and nobody types. */
  | { readonly kind: 'mark' }
  | FlagArgument;

/** What a command line takes as `--name`. */
export type FlagArgument =
  | ({ readonly kind: 'flag' } & FlagSpec)
  | ({
      readonly kind: 'choice';
      readonly choices: readonly string[];
      /** Words of other programs for one of the choices. */
      readonly synonyms?: Readonly<Record<string, string>>;
    } & ValueSpec)
  | ({ readonly kind: 'text' } & ValueSpec)
  /** May be given several times. */
  | ({ readonly kind: 'texts' } & ValueSpec);

interface FlagSpec {
  readonly short?: string;
  readonly summary: string;
}

interface ValueSpec extends FlagSpec {
  /** The word for its value in a usage line. */
  readonly value: string;
}

/** By the name that `run` knows: `dryRun` is the flag `--dry-run`. */
export type ArgumentSpecs = { readonly [name: string]: ArgumentSpec };

type ValueOf<Spec extends ArgumentSpec> = Spec extends { readonly kind: 'server' }
  ? string | (Spec extends { readonly isOptional: true } ? undefined : never)
  : Spec extends { readonly kind: 'servers' | 'texts' }
    ? readonly string[]
    : Spec extends { readonly kind: 'flag' | 'mark' }
      ? boolean
      : Spec extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
        ? Choice | undefined
        : string | undefined;

export type ArgsOf<Specs extends ArgumentSpecs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> };

/** What a face was given, in words that are checked already. */
export interface GivenArguments {
  readonly servers: readonly string[];
  /** Of a flag by its name on the command line; of one that takes no value `['']` where it was given. */
  readonly values: (flag: string) => readonly string[];
}

export function toArgs<Specs extends ArgumentSpecs>(specs: Specs, given: GivenArguments): ArgsOf<Specs> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { kind }]) => [name, valueOf(kind, flagName(name), given)]),
  ) as ArgsOf<Specs>;
}

/** Where a face passes nothing but the name of a server. */
export function onlyServer(name: string): GivenArguments {
  return { servers: [name], values: () => [] };
}

function valueOf(kind: ArgumentSpec['kind'], flag: string, { servers, values }: GivenArguments): unknown {
  if (kind === 'server') return servers[0];
  if (kind === 'servers') return servers;
  if (kind === 'mark') return false;
  const given = values(flag);
  if (kind === 'flag') return given.length > 0;
  return kind === 'texts' ? given : given.at(-1);
}

export function isFlag(spec: ArgumentSpec): spec is FlagArgument {
  return spec.kind !== 'server' && spec.kind !== 'servers' && spec.kind !== 'mark';
}

export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}
