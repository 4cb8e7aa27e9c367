import {
  knownArguments,
  knownHosts,
  type KnownName,
  knownResources,
  knownServers,
  knownTools,
} from '../../actions/calls/known-names.js';
import { commonOptions } from '../input/options.js';
import { type Invocation, VERB_PREFIX } from '../input/arguments.js';
import type { Io } from '../io.js';
import { openRun } from '../start/load.js';
import { showLine } from '../../model/show.js';
import type { Option, Verb } from '../verb.js';
import { shells } from './completion.js';

/** Called by shells for completion: one candidate a line, with its meaning after a tab. */
export const completeVerb: Verb = {
  name: '__complete',
  usage: '-- WORDS',
  summary: 'List candidates for the last word',
  hidden: true,
  takesCommand: true,
  options: [{ name: 'breaks', value: 'CHARACTERS', summary: 'where the shell breaks words (COMP_WORDBREAKS of bash)' }],
  async run(invocation, io) {
    const breaks = invocation.value('breaks') ?? '';
    const words = joinBroken(invocation.command ?? [], breaks);
    const last = words.at(-1) ?? '';
    // The shell replaces only what follows the last break.
    const begun =
      Math.max(-1, ...BREAKS.filter((sign) => breaks.includes(sign)).map((sign) => last.lastIndexOf(sign))) + 1;
    const candidates = (await candidatesFor(words, invocation, io)).filter(([name]) => name.startsWith(last));
    return {
      data: { candidates: candidates.map(([name]) => name.slice(begun)) },
      text: candidates.map(([name, text]) => `${showLine(name.slice(begun))}\t${showLine(text)}`).join('\n'),
    };
  },
};

const BREAKS = ['=', ':'];

/** bash takes `level=info` for three words. */
function joinBroken(words: readonly string[], breaks: string): readonly string[] {
  const signs = BREAKS.filter((sign) => breaks.includes(sign));
  if (signs.length === 0) return words;
  const joined: string[] = [];
  let isBegun = false;
  for (const word of words) {
    const isBreak = /^[=:]+$/u.test(word) && signs.some((sign) => word.startsWith(sign));
    if (joined.length > 0 && (isBreak || isBegun)) joined.push(`${joined.pop()!}${word}`);
    else joined.push(word);
    isBegun = isBreak;
  }
  return joined;
}

async function candidatesFor(words: readonly string[], invocation: Invocation, io: Io): Promise<readonly KnownName[]> {
  // The rest of the line is a server's command.
  if (words.slice(0, -1).includes('--')) return [];
  // A dynamic import, because the list imports this verb.
  const { verbs } = await import('./all.js');
  const flags = [...commonOptions, ...verbs.flatMap(({ options = [] }) => options)];
  const [first, ...others] = withoutFlags(words.slice(0, -1), flags);
  const typed = first === VERB_PREFIX ? others : [...(first === undefined ? [] : [first]), ...others];
  const isPrompt = words.slice(0, -1).some((word) => word === '-p' || word === '--print');
  const session = verbs.find(({ name }) => name === 'session');
  const named = verbs.find(({ name, aliases }) => name === typed[0] || aliases?.includes(typed[0] ?? ''));
  const verb = isPrompt ? session : named;
  // Without a verb the line may become a session.
  const options = [...commonOptions, ...((verb ?? session)?.options ?? [])];
  const before = words.at(-2);
  const awaiting = options.find(
    (option) => option.value !== undefined && (before === `--${option.name}` || before === `-${option.short}`),
  );
  if (awaiting) return (awaiting.choices ?? []).map((choice) => [choice, awaiting.summary]);
  if ((words.at(-1) ?? '').startsWith('-')) return options.filter(({ hidden }) => hidden !== true).map(flagCandidate);
  if (!verb) return verbCandidates(verbs, words.at(-1) ?? '', first === VERB_PREFIX);
  if (verb.completes === 'shell') return shells.map((shell) => [shell, '']);
  const isRest = typed.length > 1 && verb.completesRest === 'server';
  if (isRest) return typeable(await knownServers(await openRun(invocation, io)));
  if (verb.completes === 'host') return knownHosts();
  const [, name, ...given] = typed;
  const last = words.at(-1) ?? '';
  if (name !== undefined && verb.completesRest === 'argument') {
    return typeable(await knownArguments(await openRun(invocation, io), { tool: name, given, last }));
  }
  if (name !== undefined && verb.completesRest === 'resource') {
    return given.length > 0 ? [] : typeable(await knownResources(await openRun(invocation, io), name));
  }
  if (verb.completes === 'tool')
    return name === undefined ? typeable(await knownTools(await openRun(invocation, io))) : [];
  return verb.completes === 'server' ? typeable(await knownServers(await openRun(invocation, io))) : [];
}

/** The words that are neither flags nor their values. */
function withoutFlags(words: readonly string[], options: readonly Option[]): readonly string[] {
  const takesValue = (word: string | undefined): boolean =>
    options.some(({ name, short, value }) => value !== undefined && (word === `--${name}` || word === `-${short}`));
  return words.filter((word, at) => !word.startsWith('-') && !takesValue(words[at - 1]));
}

/** The verbs; an alias only where no verb begins with what was typed. */
function verbCandidates(verbs: readonly Verb[], last: string, isPrefixed: boolean): readonly KnownName[] {
  const shown = verbs.filter(({ hidden }) => hidden !== true);
  const names = shown.map(({ name, summary }): KnownName => [name, summary]);
  if (names.some(([name]) => name.startsWith(last))) return names;
  const aliases = shown.flatMap(({ name, aliases: others = [] }) =>
    others.map((one): KnownName => [one, `as ${name}`]),
  );
  return isPrefixed ? aliases : [...aliases, [VERB_PREFIX, 'may stand before every command']];
}

/** A shell puts a candidate on the command line unquoted: a file's `x; rm -rf ~` must never be one. */
const SAFE_WORD = /^[A-Za-z0-9_@%+=:,.][A-Za-z0-9_@%+=:,./-]*$/u;

function typeable(names: readonly KnownName[]): readonly KnownName[] {
  return names.filter(([name]) => SAFE_WORD.test(name));
}

function flagCandidate({ name, summary }: Option): KnownName {
  return [`--${name}`, summary];
}
