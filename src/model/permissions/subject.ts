import { groupByKeys } from '../grouped.js';
import { toConnectorPart, toNamePart } from '../view/names.js';
import type { Tool } from '../tool.js';
import type { ServerAct } from './server-act.js';

/** Who is to be called, with all that decides whether it may be. */
export interface PermissionSubject extends SubjectToolNames {
  readonly title?: string | undefined;
  readonly hints: Tool['hints'];
  readonly marks: Tool['marks'];
  /** Its server's entry says `trust: true`. Counts only where somebody wrote it who may. */
  readonly isTrusted: boolean;
  /** The user typed this very call. */
  readonly isTyped: boolean;
  /** The file that its server's entry is in. */
  readonly origin?: string | undefined;
  /** A hook has looked at this very call and said that nobody has to be asked. */
  readonly isAllowedByHook?: boolean;
  /** A hook wants a person to decide about this very call. */
  readonly isAskedByHook?: boolean;
  /** Its server has an `mcp.lock` that does not have this tool. */
  readonly isUnpinned?: boolean;
  /** A built-in that acts on a server: rules against that server hold for it as well. */
  readonly alsoServer?: string | undefined;
  /** That server is an account of this one. */
  readonly alsoAccountOf?: string | undefined;
  /** It would read a file that looks like one with secrets in it. */
  readonly isSecret?: boolean | undefined;
  /** What is to be known of this very call; goes on from "it is asked about because". */
  readonly circumstance?: string | undefined;
}

/** What a rule is compared with. */
export interface SubjectToolNames {
  /** As the model knows it. */
  readonly name: string;
  /** As its entry spells it; undefined for a tool that is built in. */
  readonly server: string | undefined;
  /** As its server spells it. */
  readonly tool: string;
  /** Who wrote its server's entry. */
  readonly author: ToolAuthor;
  /** Another server's name reads the same once it is part of a tool's name: see `sharedNames`. */
  readonly sharesName?: boolean;
  /** Other servers whose names begin like this one's, `x__y` beside `x`: what is written for them is not for this one. */
  readonly longer?: readonly string[];
  /** Whether a rule of this text could have been written for another server: see `Rival`. */
  readonly isClaimed?: ((rule: string) => boolean) | undefined;
  /** It is no tool of its server's, but something that is decided like one. */
  readonly act?: ServerAct | undefined;
  /** The built-in tool by which a model asks for it: rules that name that one hold as well. */
  readonly alias?: string | undefined;
  /** A repository's server with the name of one that the user configured: what the user's settings permit that name is for the user's. */
  readonly hasTwin?: boolean;
  /** Its server is an account of that one: what stops tools of that one stops this one, too. */
  readonly accountOf?: string | undefined;
}

export type ToolAuthor = 'administrator' | 'user' | 'repository' | 'remote' | 'built-in';

/** Whether an entry is the word of somebody who may widen what its server is allowed. */
export function isOwn(author: ToolAuthor): boolean {
  return author === 'user' || author === 'administrator';
}

/** A server's name in every spelling that a rule may have it in. */
export function serverSpellings(server: string): readonly string[] {
  // What most are called is the same in all of them.
  if (PLAIN.test(server)) return [server];
  return [...new Set([server, toNamePart(server), toConnectorPart(server)])];
}

const PLAIN = /^[a-zA-Z0-9-](?:_?[a-zA-Z0-9-])*$/;

/** The servers whose names cannot be told apart in a tool's name: `a b` and `a.b`. */
export function sharedNames(servers: Iterable<string>): ReadonlySet<string> {
  const owners = groupByKeys(new Set(servers), serverSpellings);
  return new Set([...owners.values()].filter(({ length }) => length > 1).flat());
}

/** The spellings of servers whose names begin with another's and `__`: rules that name them mean them. */
export function longerNames(server: string, servers: Iterable<string>): readonly string[] {
  const starts = serverSpellings(server).map((spelling) => `${spelling}__`);
  return [...servers]
    .filter((other) => other !== server)
    .flatMap(serverSpellings)
    .filter((other) => starts.some((start) => other.startsWith(start)));
}

/** What is configured about a server, as far as calls of its tools are concerned. */
export interface ServerPermissions {
  readonly author: Exclude<ToolAuthor, 'built-in'>;
  readonly origin: string;
  readonly config?: { readonly trust?: boolean | undefined } | undefined;
  /** Servers of the user's with the same name. */
  readonly twins?: readonly unknown[] | undefined;
  readonly accountOf?: string | undefined;
}

/** A tool as it is judged. `entry`: its server's; without one it is nobody's word. */
export function toSubject(
  tool: Pick<Tool, 'name' | 'server' | 'tool' | 'title' | 'hints' | 'marks'> &
    Partial<Pick<Tool, 'isOurs' | 'act' | 'alias'>>,
  { entry, isTyped = false, sharesName = false, longer = [], claims, isUnpinned = false }: SubjectOptions = {},
): PermissionSubject {
  const { name, server, title, hints, marks, act, alias } = tool;
  // What is asked of a server is the server's, whoever brings the means.
  const isOurs = (tool.isOurs === true && act === undefined) || server === undefined;
  const author = isOurs ? 'built-in' : (entry?.author ?? 'repository');
  return {
    name,
    server,
    tool: tool.tool,
    title,
    hints,
    marks,
    author,
    // That is said of its tools: nobody who wrote it thought of what a model costs.
    isTrusted: entry?.config?.trust === true && act !== 'sampling',
    isTyped,
    origin: entry?.origin,
    sharesName,
    longer,
    ...(claims && { isClaimed: (rule: string) => claims(rule, author) }),
    ...(act !== undefined && { act, alias }),
    hasTwin: entry?.twins !== undefined,
    ...(entry?.accountOf !== undefined && { accountOf: entry.accountOf }),
    isUnpinned,
  };
}

export interface SubjectOptions {
  readonly entry?: ServerPermissions | undefined;
  readonly isTyped?: boolean;
  readonly sharesName?: boolean;
  readonly longer?: readonly string[];
  readonly isUnpinned?: boolean;
  /** Whether a rule could have been written for another server than that of an entry with this author; see `toClaims`. */
  readonly claims?: ((rule: string, author: ToolAuthor) => boolean) | undefined;
}
