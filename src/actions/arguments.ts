/** An argument of an action. Usage lines, flags, completion and the words after `/mcp` are derived from these specs. */
export type ArgumentSpec =
  /** The name of a server; `isOptional`: without one the action applies to all servers that may run. */
  | { readonly kind: 'server'; readonly isOptional?: true }
  /** Names of servers; the action defines what an empty list means. */
  | { readonly kind: 'servers' }
  /** One word that is not a server name; `noun` names the word in the error when it is missing. */
  | { readonly kind: 'word'; readonly noun: string; readonly listedBy?: string; readonly isOptional?: true }
  /** All remaining words; with a `noun` at least one is required. */
  | { readonly kind: 'words'; readonly noun?: string }
  /** An entry as in a configuration file. A face that has only words builds the entry from them. */
  | { readonly kind: 'entry' }
  /** A boolean that a face sets in code; users cannot type it. */
  | { readonly kind: 'mark' }
  | FlagArgument;

/** An entry as written in a file, unchecked. */
export type Entry = { readonly [field: string]: unknown };

/** An argument given as `--name` on a command line. */
export type FlagArgument =
  | ({ readonly kind: 'flag' } & FlagSpec)
  | ({
      readonly kind: 'choice';
      readonly choices: readonly string[];
      /** Words that other programs use for a choice, mapped to the choice. */
      readonly synonyms?: Readonly<Record<string, string>>;
    } & ValueSpec)
  | ({ readonly kind: 'text' } & ValueSpec)
  /** May be repeated. */
  | ({ readonly kind: 'texts' } & ValueSpec);

interface FlagSpec {
  readonly short?: string;
  readonly summary: string;
}

interface ValueSpec extends FlagSpec {
  /** The placeholder for the value in a usage line. */
  readonly value: string;
}

/** Specs by the argument names that `run` receives: `dryRun` is the flag `--dry-run`. */
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

export interface GivenWords {
  /** Names of servers, and other words given without a flag. */
  readonly servers: readonly string[];
  /** In the order of the action's arguments. */
  readonly words: readonly string[];
}

/** The words that a face was given, already checked. */
export interface GivenArguments extends Pick<GivenWords, 'servers'>, Partial<Pick<GivenWords, 'words'>> {
  /** The values of a flag, by its name on the command line; `['']` for a given flag that takes no value. */
  readonly values: (flag: string) => readonly string[];
}

export function toArgs<Specs extends ArgumentSpecs>(specs: Specs, given: GivenArguments): ArgsOf<Specs> {
  const words = [...(given.words ?? [])];
  return Object.fromEntries(
    Object.entries(specs).map(([name, { kind }]) => [name, valueOf(kind, flagName(name), { ...given, words })]),
  ) as ArgsOf<Specs>;
}

/** For a face that passes only the name of a server. */
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

/** The first required argument that is missing: its noun, and the action that lists the values. Undefined: none is. */
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
