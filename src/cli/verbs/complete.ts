import { knownHosts, type KnownName, knownServers, knownTools } from '../../actions/calls/known-names.js';
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
  async run(invocation, io) {
    const words = invocation.command ?? [];
    const last = words.at(-1) ?? '';
    const candidates = (await candidatesFor(words, invocation, io)).filter(([name]) => name.startsWith(last));
    return {
      data: { candidates: candidates.map(([name]) => name) },
      text: candidates.map(([name, text]) => `${showLine(name)}\t${showLine(text)}`).join('\n'),
    };
  },
};

async function candidatesFor(words: readonly string[], invocation: Invocation, io: Io): Promise<readonly KnownName[]> {
  // A dynamic import, because the list imports this verb.
  const { verbs } = await import('./all.js');
  const [first, ...others] = words.slice(0, -1).filter((word) => !word.startsWith('-'));
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
  if ((words.at(-1) ?? '').startsWith('-')) return options.map(flagCandidate);
  if (!verb) return verbCandidates(verbs, words.at(-1) ?? '', first === VERB_PREFIX);
  if (verb.completes === 'shell') return shells.map((shell) => [shell, '']);
  if (verb.completes === 'host') return knownHosts();
  // Arguments of a tool are not known here.
  if (verb.completes === 'tool')
    return typed.length > 1 ? [] : typeable(await knownTools(await openRun(invocation, io)));
  return verb.completes === 'server' ? typeable(await knownServers(await openRun(invocation, io))) : [];
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
