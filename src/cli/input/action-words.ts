import type { Action } from '../../actions/action.js';
import { type ArgumentSpecs, type GivenWords, missingWord } from '../../actions/arguments.js';
import { showName } from '../../model/show.js';
import { type AdHoc, adHocServer } from './ad-hoc.js';
import { type Invocation, onlyName } from './arguments.js';
import { usageError } from './usage-error.js';

interface ReadWords extends GivenWords {
  /** The invocation with the server that the command line gives, if any. */
  readonly invocation: Invocation;
  /** The name of that server. */
  readonly adHoc: string | undefined;
  /** That server's name and entry. */
  readonly given: Pick<AdHoc, 'name' | 'entry'> | undefined;
}

/** Which of the typed words name servers. `takesServer`: a URL or a command may give one. Throws `usage`. */
export function readWords<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  given: Invocation,
  takesServer: 'url' | 'command' | undefined,
): ReadWords {
  const kinds = Object.values(action.args).map(({ kind }) => kind);
  if (kinds.includes('servers')) {
    return { invocation: given, adHoc: undefined, given: undefined, servers: given.positionals, words: [] };
  }
  const namesServer = kinds.includes('server');
  // The URI of a resource may look like the URL of a server, so only the first word can be one.
  const named = given.command ? [] : given.positionals.slice(0, 1);
  const adHoc = takesServer && adHocServer(namesServer ? { ...given, positionals: named } : given);
  const invocation = adHoc?.invocation ?? given;
  return {
    invocation,
    adHoc: adHoc?.name,
    given: adHoc,
    servers: adHoc ? [adHoc.name] : namesServer ? named : [],
    words: namesServer ? given.positionals.slice(named.length) : invocation.positionals,
  };
}

/** Throws `usage` when a required word is missing, or when there are more words than the action takes. */
export function checkWords<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  { servers, words }: GivenWords,
  invocation: Invocation,
): void {
  const { verb } = invocation;
  const specs = Object.values(action.args);
  const hasWords = specs.some(({ kind }) => kind === 'word' || kind === 'words');
  const isOfOne = specs.some((spec) => spec.kind === 'server' && spec.isOptional !== true);
  if (isOfOne && !hasWords) onlyName({ ...invocation, positionals: [...servers, ...words] });
  const missing = missingWord(specs, { servers, words });
  if (missing) {
    const { noun, listedBy } = missing;
    const list = listedBy === undefined ? '' : `plugboard ${listedBy} ${servers.map(showName).join(' ')}`;
    throw usageError(`${verb.name} needs ${noun}`, {
      hint: list === '' ? `plugboard ${verb.name} ${verb.usage}` : `List the ${listedBy}: ${list}`,
    });
  }
  if (specs.some(({ kind }) => kind === 'words')) return;
  const single = specs.filter((spec) => spec.kind === 'word');
  const surplus = words[single.length];
  if (surplus === undefined) return;
  const [{ noun: one } = { noun: 'server' }] = single;
  throw usageError(`${verb.name} takes one ${one}, but also got "${surplus}"`, {
    hint:
      single.length === 0
        ? `If that is a command, put -- before it: plugboard ${verb.name} -- ${[...servers, ...words].join(' ')}`
        : `plugboard ${verb.name} ${one.toUpperCase()}`,
  });
}
