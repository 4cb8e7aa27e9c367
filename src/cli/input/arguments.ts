import { parseArgs } from 'node:util';
import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { commonOptions } from './options.js';
import type { Option, Verb } from '../verb.js';
import { usageError } from './usage-error.js';

/** A parsed command line. */
export interface Invocation {
  readonly verb: Verb;
  readonly positionals: readonly string[];
  /** The words after `--`; undefined without `--`, or when the verb takes no command. */
  readonly command: readonly string[] | undefined;
  /** The program was started without arguments. */
  readonly isEmpty: boolean;
  has(option: string): boolean;
  value(option: string): string | undefined;
  values(option: string): readonly string[];
}

export type Parsed =
  | { readonly kind: 'help'; readonly verb: Verb | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly invocation: Invocation };

/** Node's tokenizer with Plugboard's rules: which flags exist, what they take, what a typo meant. Throws `usage`. */
export function parseArguments(args: readonly string[], verbs: readonly Verb[]): Parsed {
  const session = verbs.find(({ name }) => name === SESSION);
  const at = findVerb(args, session);
  const word = at === -1 ? undefined : args[at]!;
  if (session && isPrompt(args, { session, at, verbs })) return parseRun(session, args);
  const before = args.slice(0, args.indexOf('--') === -1 ? args.length : args.indexOf('--'));
  if (word === undefined) {
    if (before.includes('--version') || before.includes('-v')) return { kind: 'version' };
    if (before.includes('--help') || before.includes('-h') || (args.length === 0 && !session))
      return { kind: 'help', verb: undefined };
    if (session && !args.includes('--')) return parseRun(session, args);
    throw usageError(`no command in "${args.join(' ')}"`, { hint: 'plugboard --help' });
  }
  const rest = [...args.slice(0, at), ...args.slice(at + 1)];
  return word === VERB_PREFIX ? parsePrefixed(rest, verbs) : parseNamed(word, rest, verbs);
}

function parseNamed(word: string, rest: readonly string[], verbs: readonly Verb[]): Parsed {
  if (word !== 'help') return parseRun(chooseVerb(word, verbs), rest);
  const topic = findVerb(rest, findNamed(SESSION, verbs));
  const isNamed = topic !== -1 && rest[topic] !== VERB_PREFIX;
  return { kind: 'help', verb: isNamed ? chooseVerb(rest[topic]!, verbs) : undefined };
}

/** `mcp VERB` is VERB, as users of other hosts type it, and `mcp` alone is the list of servers. */
function parsePrefixed(args: readonly string[], verbs: readonly Verb[]): Parsed {
  const at = findVerb(args, findNamed(SESSION, verbs));
  if (at !== -1) return parseNamed(args[at]!, [...args.slice(0, at), ...args.slice(at + 1)], verbs);
  const parsed = parseRun(chooseVerb(LIST, verbs), args);
  return parsed.kind === 'help' ? { kind: 'help', verb: undefined } : parsed;
}

/** A word that may stand before every verb. */
export const VERB_PREFIX = 'mcp';
const LIST = 'list';

/** The verb that runs when none is named. */
const SESSION = 'session';

function parseRun(verb: Verb, args: readonly string[]): Parsed {
  const invocation = parseVerb(verb, args);
  if (invocation.has('version')) return { kind: 'version' };
  return invocation.has('help') ? { kind: 'help', verb } : { kind: 'run', invocation };
}

/** `-p list` is a prompt of one word; `list -p` is the verb `list` with a flag that it does not have. */
function isPrompt(
  args: readonly string[],
  { session, at, verbs }: { readonly session: Verb; readonly at: number; readonly verbs: readonly Verb[] },
): boolean {
  const { tokens } = tokenize(args, [...commonOptions, ...(session.options ?? [])]);
  const end = tokens.findIndex(({ kind }) => kind === 'option-terminator');
  const flags = end === -1 ? tokens : tokens.slice(0, end);
  const print = flags.find((token) => token.kind === 'option' && token.name === 'print');
  if (!print) return false;
  const word = args[at];
  return word === undefined || print.index < at || (word !== 'help' && !findNamed(word, verbs));
}

function findNamed(word: string, verbs: readonly Verb[]): Verb | undefined {
  return verbs.find(({ name, aliases }) => name === word || aliases?.includes(word));
}

function chooseVerb(word: string, verbs: readonly Verb[]): Verb {
  const found = findNamed(word, verbs);
  if (found) return found;
  const [close] = nearest(
    word,
    verbs.filter(({ hidden }) => hidden !== true).map(({ name }) => name),
  );
  const isSentence = /\s/u.test(word) && findNamed(SESSION, verbs) !== undefined;
  const meant = Object.hasOwn(ELSEWHERE, word) ? ELSEWHERE[word] : close;
  const near = meant === undefined ? 'plugboard --help' : `Did you mean: plugboard ${meant}`;
  throw usageError(`unknown command '${word}'`, {
    hint: isSentence ? 'To ask a model, put -p before the prompt: plugboard -p "..."' : near,
  });
}

/** Commands of other hosts that have another name here. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'add-from-claude-desktop': 'import claude-desktop' };

/** The index of the first word that is neither a flag nor a flag's value; -1 without one. */
function findVerb(args: readonly string[], session: Verb | undefined): number {
  const { tokens } = tokenize(args, [...commonOptions, ...(session?.options ?? [])]);
  const first = tokens.find(({ kind }) => kind === 'positional' || kind === 'option-terminator');
  return first?.kind === 'positional' ? first.index : -1;
}

function parseVerb(verb: Verb, args: readonly string[]): Invocation {
  const options = [...commonOptions, ...(verb.options ?? [])];
  const { tokens } = tokenize(args, options);
  const found = new Map<string, string[]>();
  const positionals: string[] = [];
  let command: readonly string[] | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') command = args.slice(token.index + 1);
    else if (command) continue;
    else if (token.kind === 'positional') positionals.push(token.value);
    else {
      const option = options.find(({ name }) => name === token.name);
      if (!option) throw unknownOption(token.rawName, { options, verb, positionals, isAsking: found.has('print') });
      found.set(option.name, [...(found.get(option.name) ?? []), checkValue(option, token, options)]);
    }
  }
  // Where the verb takes no command, `--` has its usual meaning: no flags from here on.
  const names = verb.takesCommand === true ? [] : (command ?? []);
  return {
    verb,
    positionals: [...positionals, ...names],
    command: verb.takesCommand === true ? command : undefined,
    isEmpty: args.length === 0,
    has: (option) => found.has(option) || (option === 'no-color' && found.has('plain')),
    value: (option) => found.get(option)?.at(-1),
    values: (option) => found.get(option) ?? [],
  };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkValue(option: Option, token: OptionToken, options: readonly Option[]): string {
  const { rawName, value } = token;
  if (option.value === undefined) {
    if (value === undefined) return '';
    throw usageError(`${rawName} takes no value`, { hint: `Write ${rawName} alone` });
  }
  // `--cwd --json`: the value was forgotten. A value that looks like a flag can be written --cwd=--json.
  const isFlag = token.inlineValue !== true && options.some(({ name }) => value === `--${name}`);
  if (option.isValueOptional && (value === undefined || value === '')) return '';
  if (value === undefined || value === '--' || isFlag) {
    throw usageError(`${rawName} needs a value`, { hint: `Write ${rawName} ${option.value}` });
  }
  const refusal = option.refusals && Object.hasOwn(option.refusals, value) ? option.refusals[value] : undefined;
  if (refusal !== undefined) {
    throw new HostError('usage', refusal, { hint: `${rawName} takes one of: ${option.choices?.join(', ')}` });
  }
  if (option.choices && !option.choices.includes(value) && option.alsoTakes?.includes(value) !== true) {
    const close = option.synonyms?.[value] ?? nearest(value, option.choices)[0];
    throw usageError(`${rawName} must be one of: ${option.choices.join(', ')}; got ${value}`, {
      hint: close === undefined ? `Write ${rawName} ${option.choices[0]}` : `Did you mean ${rawName} ${close}?`,
    });
  }
  return value;
}

interface Place {
  readonly options: readonly Option[];
  readonly verb: Verb;
  /** The positionals before the unknown option. */
  readonly positionals: readonly string[];
  /** `-p` was given, so the option may be the beginning of the prompt. */
  readonly isAsking: boolean;
}

function unknownOption(rawName: string, { options, verb, positionals, isAsking }: Place): HostError {
  const message = `unknown option '${rawName}'`;
  const words = options.map(({ name }) => name);
  const [close] = nearest(rawName.replace(/^-+/u, ''), words);
  // An option close to one of Plugboard's is a typo; any other may belong to a server's command.
  const from = positionals.findIndex(
    (word, index) => index >= (verb.wordsBeforeCommand ?? 1) && !/[=]|:\/\//u.test(word),
  );
  const isUrl = positionals.some((word) => word.includes('://'));
  if (close === undefined && verb.takesCommand === true && from !== -1 && !isUrl) {
    const before = [verb.name, ...positionals.slice(0, from)].join(' ');
    const command = [...positionals.slice(from), rawName].join(' ');
    return new HostError('usage', message, {
      hint: `If ${rawName} belongs to the server's command, put -- before the command: plugboard ${before} -- ${command}`,
    });
  }
  const help = isAsking
    ? 'If this begins the prompt, put -- before the prompt: plugboard -p -- "..."'
    : `plugboard ${verb.name} --help`;
  return new HostError('usage', message, { hint: close === undefined ? help : `Did you mean --${close}?` });
}

type Tokens = NonNullable<ReturnType<typeof parseArgs>['tokens']>;

function tokenize(args: readonly string[], options: readonly Option[]): { readonly tokens: Tokens } {
  const config = Object.fromEntries(
    options.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(short !== undefined && { short }),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: withEmptyValues(args, options),
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return { tokens };
}

/** Gives a flag whose value may be missing an empty value where another flag, a URL or `--` follows. */
function withEmptyValues(args: readonly string[], options: readonly Option[]): string[] {
  const optional = new Set(options.filter((option) => option.isValueOptional).map(({ name }) => `--${name}`));
  const end = args.indexOf('--');
  return args.map((word, at) => {
    const next = args[at + 1];
    const isBare = next === undefined || next.startsWith('-') || next.includes('://');
    return optional.has(word) && isBare && (end === -1 || at < end) ? `${word}=` : word;
  });
}

/** Throws `usage` when a verb that takes no name got one: another verb was meant. */
export function refuseNames({ verb, positionals }: Invocation, hint: string): void {
  if (positionals.length === 0) return;
  throw usageError(`${verb.name} takes no name, got "${positionals[0]}"`, { hint });
}

/** The one server name that a verb takes. Throws `usage` for none or several. */
export function onlyName({ verb, positionals }: Invocation): string {
  const [name] = positionals;
  if (name !== undefined && positionals.length === 1) return name;
  throw usageError(`${verb.name} takes one server name, got ${positionals.length}`, {
    hint: `plugboard ${verb.name} ${verb.usage}`,
  });
}

/** Whether the output is to be JSON, as far as a command line that may be invalid tells. */
export function wantsJson(args: readonly string[]): boolean {
  const flags = args.slice(0, args.indexOf('--') === -1 ? undefined : args.indexOf('--'));
  const format = flags.lastIndexOf('--output-format');
  const isFormat = flags.includes('--output-format=json') || (format !== -1 && flags[format + 1] === 'json');
  return flags.includes('--json') || isFormat;
}
