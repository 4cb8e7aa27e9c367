import { parseArgs } from 'node:util';
import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { commonOptions } from './options.js';
import type { Option, Verb } from './verb.js';

/** A command line, understood. */
export interface Invocation {
  readonly verb: Verb;
  readonly positionals: readonly string[];
  /** What stands behind `--`; undefined without one. */
  readonly command: readonly string[] | undefined;
  has(option: string): boolean;
  value(option: string): string | undefined;
  values(option: string): readonly string[];
}

export type Parsed =
  | { readonly kind: 'help'; readonly verb: Verb | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly invocation: Invocation };

/** node's own tokenizer; which flags exist, what they take and what was probably meant is decided here. */
export function parseArguments(args: readonly string[], verbs: readonly Verb[]): Parsed {
  const at = findVerb(args);
  const word = at === -1 ? undefined : args[at]!;
  const before = args.slice(0, args.indexOf('--') === -1 ? args.length : args.indexOf('--'));
  if (word === undefined) {
    if (before.includes('--version') || before.includes('-v')) return { kind: 'version' };
    if (before.includes('--help') || before.includes('-h') || args.length === 0)
      return { kind: 'help', verb: undefined };
    throw new HostError('usage', `error: no command in "${args.join(' ')}"`, { hint: 'plugboard --help' });
  }
  if (word === 'help')
    return { kind: 'help', verb: args[at + 1] === undefined ? undefined : chooseVerb(args[at + 1]!, verbs) };
  const verb = chooseVerb(word, verbs);
  const invocation = parseVerb(verb, [...args.slice(0, at), ...args.slice(at + 1)]);
  return invocation.has('help') ? { kind: 'help', verb } : { kind: 'run', invocation };
}

function chooseVerb(word: string, verbs: readonly Verb[]): Verb {
  const found = verbs.find(({ name, aliases }) => name === word || aliases?.includes(word));
  if (found) return found;
  const [close] = nearest(
    word,
    verbs.filter(({ hidden }) => hidden !== true).map(({ name }) => name),
  );
  throw new HostError('usage', `error: unknown command '${word}'`, {
    hint: close === undefined ? 'plugboard --help' : `Did you mean: plugboard ${close}`,
  });
}

/** The first word that is neither a flag nor a flag's value. */
function findVerb(args: readonly string[]): number {
  const { tokens } = tokenize(args, commonOptions);
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
      const option = options.find(({ name }) => name === token.name) ?? unknownOption(token.rawName, options, verb);
      found.set(option.name, [...(found.get(option.name) ?? []), checkValue(option, token)]);
    }
  }
  return {
    verb,
    positionals,
    command,
    has: (option) => found.has(option),
    value: (option) => found.get(option)?.at(-1),
    values: (option) => found.get(option) ?? [],
  };
}

function checkValue(option: Option, token: { readonly rawName: string; readonly value?: string | undefined }): string {
  const { rawName, value } = token;
  if (option.value === undefined) {
    if (value === undefined) return '';
    throw new HostError('usage', `error: ${rawName} takes no value`, { hint: `Write ${rawName} alone` });
  }
  if (value === undefined || value === '--') {
    throw new HostError('usage', `error: ${rawName} needs a value`, { hint: `Write ${rawName} ${option.value}` });
  }
  if (option.choices && !option.choices.includes(value)) {
    const [close] = nearest(value, option.choices);
    throw new HostError('usage', `error: ${rawName} must be one of: ${option.choices.join(', ')}; got ${value}`, {
      hint: close === undefined ? `Write ${rawName} ${option.choices[0]}` : `Did you mean ${rawName} ${close}?`,
    });
  }
  return value;
}

function unknownOption(rawName: string, options: readonly Option[], verb: Verb): never {
  const [close] = nearest(
    rawName.replace(/^-+/u, ''),
    options.map(({ name }) => name),
  );
  throw new HostError('usage', `error: unknown option '${rawName}'`, {
    hint: close === undefined ? `plugboard ${verb.name} --help` : `Did you mean --${close}?`,
  });
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
    args: [...args],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return { tokens };
}

/** The one server a verb is about. */
export function onlyName({ verb, positionals }: Invocation): string {
  const [name] = positionals;
  if (name !== undefined && positionals.length === 1) return name;
  throw new HostError('usage', `error: ${verb.name} takes one server name, got ${positionals.length}`, {
    hint: `plugboard ${verb.name} ${verb.usage}`,
  });
}
