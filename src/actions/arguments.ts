/** What an action takes. Usage, flags, completion and the words behind `/mcp` follow from it. */
export type ArgumentSpec =
  /** The name of the server that it is about; `isOptional`: of all that may run, where none is named. */
  | { readonly kind: 'server'; readonly isOptional?: true }
  /** Names of servers; none may mean all of some sort. */
  | { readonly kind: 'servers' }
  /** One word that is neither: `noun` is what a face calls it where it is missing. */
  | { readonly kind: 'word'; readonly noun: string; readonly listedBy?: string; readonly isOptional?: true }
  /** All words that are left; with a noun at least one. */
  | { readonly kind: 'words'; readonly noun?: string }
  /** An entry as a file of servers has it. A face that has only words makes it of them. */
  | { readonly kind: 'entry' }
  /** What a face knows and nobody types. */
  | { readonly kind: 'mark' }
  | FlagArgument;

/** As it is written in a file, unchecked. */
export type Entry = { readonly [field: string]: unknown };

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

type ValueOf<Spec extends ArgumentSpec> = Spec extends { readonly kind: 'server' | 'word' }
  ? Spec extends { readonly isOptional: true }
    ? string | undefined
    : string
  : Spec extends { readonly kind: 'servers' | 'words' | 'texts' }
    ? readonly string[]
    : Spec extends { readonly kind: 'flag' | 'mark' }
      ? boolean
      : Spec extends { readonly kind: 'entry' }
        ? Entry
        : Spec extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] }
          ? Choice | undefined
          : string | undefined;

export type ArgsOf<Specs extends ArgumentSpecs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> };

/** Words that a face was given. */
export interface GivenWords {
  /** Names of servers, and whatever else is given without a flag. */
  readonly servers: readonly string[];
  /** In the order of the action's arguments. */
  readonly words: readonly string[];
}

/** What a face was given, in words that are checked already. */
export interface GivenArguments extends Pick<GivenWords, 'servers'>, Partial<Pick<GivenWords, 'words'>> {
  /** Of a flag by its name on the command line; of one that takes no value `['']` where it was given. */
  readonly values: (flag: string) => readonly string[];
}

export function toArgs<Specs extends ArgumentSpecs>(specs: Specs, given: GivenArguments): ArgsOf<Specs> {
  const words = [...(given.words ?? [])];
  return Object.fromEntries(
    Object.entries(specs).map(([name, { kind }]) => [name, valueOf(kind, flagName(name), { ...given, words })]),
  ) as ArgsOf<Specs>;
}

/** Where a face passes nothing but the name of a server. */
export function onlyServer(name: string): GivenArguments {
  return { servers: [name], values: () => [] };
}

function valueOf(
  kind: ArgumentSpec['kind'],
  flag: string,
  { servers, words, values }: GivenArguments & { readonly words: string[] },
): unknown {
  if (kind === 'server') return servers[0];
  if (kind === 'servers') return servers;
  if (kind === 'word') return words.shift();
  if (kind === 'words') return words.splice(0);
  if (kind === 'mark') return false;
  const given = values(flag);
  if (kind === 'flag') return given.length > 0;
  return kind === 'texts' ? given : given.at(-1);
}

export function isFlag(spec: ArgumentSpec): spec is FlagArgument {
  return 'summary' in spec;
}

export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

/** What has to be said and was not: the noun for it, and the action that shows which there are of the server that was named. */
export function missingWord(
  specs: readonly ArgumentSpec[],
  { servers, words }: GivenWords,
): { readonly noun: string; readonly listedBy?: string } | undefined {
  let left = words.join('').trim() === '' ? 0 : words.length;
  for (const spec of specs) {
    if (spec.kind === 'server' && spec.isOptional !== true && servers.length === 0) return SERVER;
    if (spec.kind === 'word' && left-- === 0 && spec.isOptional !== true) return spec;
    if (spec.kind === 'words' && spec.noun !== undefined && left === 0) return { noun: spec.noun };
  }
  return undefined;
}

const SERVER = { noun: 'the name of a server' };
