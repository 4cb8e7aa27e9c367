import { groupByKeys } from '../grouped.js';
import { toConnectorPart, toNamePart } from '../view/names.js';
import type { Tool } from '../tool.js';
import type { FlowFinding } from '../flow/flow-finding.js';
import type { ServerAct } from './server-act.js';

/** A tool to be called, with all that permissions are decided by. */
export interface PermissionSubject extends SubjectToolNames {
  readonly title?: string | undefined;
  readonly hints: Tool['hints'];
  readonly marks: Tool['marks'];
  /** The server's entry says `trust: true`. Counts only for an entry of the user or administrator. */
  readonly isTrusted: boolean;
  /** The user typed this call. */
  readonly isTyped: boolean;
  /** The file with the server's entry. */
  readonly origin?: string | undefined;
  /** A hook has decided that this call needs no question. */
  readonly isAllowedByHook?: boolean;
  /** A hook wants a person to decide about this call. */
  readonly isAskedByHook?: boolean;
  /** The server has an `mcp.lock` without this tool. */
  readonly isUnpinned?: boolean;
  /** The server that a built-in tool acts on: rules against this server hold for the tool as well. */
  readonly alsoServer?: string | undefined;
  /** The server that `alsoServer` is an account of. */
  readonly alsoAccountOf?: string | undefined;
  /** The call would read a file that looks as if it holds secrets. */
  readonly isSecret?: boolean | undefined;
  /** A clause about this call that begins the given reason, before the mode. */
  readonly circumstance?: string | undefined;
  /** The call may send out what was read; the settings may deny it instead of asking. */
  readonly flow?: { readonly finding: FlowFinding; readonly isDenied: boolean } | undefined;
}

/** The names that a rule is compared with. */
export interface SubjectToolNames {
  /** The name that the model knows. */
  readonly name: string;
  /** As the server's entry spells it; undefined for a built-in tool. */
  readonly server: string | undefined;
  /** As the server spells it. */
  readonly tool: string;
  /** Who wrote the server's entry. */
  readonly author: ToolAuthor;
  /** Another server's name becomes the same as part of a tool's name: see `sharedNames`. */
  readonly sharesName?: boolean;
  /** Names of other servers that begin with this one's, `x__y` beside `x`: their rules are not for this server. */
  readonly longer?: readonly string[];
  /** Whether a rule of this text could have been written for another server: see `Rival`. */
  readonly isClaimed?: ((rule: string) => boolean) | undefined;
  /** Set for an action that rules decide like a tool. */
  readonly act?: ServerAct | undefined;
  /** The built-in tool through which the model makes the call: rules that name this tool hold as well. */
  readonly alias?: string | undefined;
  /** What rules that stop calls name the skills that may be read: `Skill`, `Skill(name)`, `Skill(server:name)`. */
  readonly skill?: readonly string[] | undefined;
  /** What rules that permit calls name the skill that is read: nothing that could mean another server's. */
  readonly ownSkill?: readonly string[] | undefined;
  /** A repository's server has the name of one of the user's: what user settings permit is for the user's server. */
  readonly hasTwin?: boolean;
  /** The server that `server` is an account of: what stops its tools stops this one, too. */
  readonly accountOf?: string | undefined;
}

export type ToolAuthor = 'administrator' | 'user' | 'repository' | 'remote' | 'built-in';

/** Whether the author of an entry may widen what its server is allowed. */
export function isOwn(author: ToolAuthor): boolean {
  return author === 'user' || author === 'administrator';
}

/** A server's name in every spelling that a rule may use. */
export function serverSpellings(server: string): readonly string[] {
  // Most names are the same in every spelling.
  if (PLAIN.test(server)) return [server];
  return [...new Set([server, toNamePart(server), toConnectorPart(server)])];
}

const PLAIN = /^[a-zA-Z0-9-](?:_?[a-zA-Z0-9-])*$/;

/** The servers whose names look the same in a tool's name, such as `a b` and `a.b`. */
export function sharedNames(servers: Iterable<string>): ReadonlySet<string> {
  const owners = groupByKeys(new Set(servers), serverSpellings);
  return new Set([...owners.values()].filter(({ length }) => length > 1).flat());
}

/** The spellings of servers whose names begin with this server's and `__`: rules that name these are theirs. */
export function longerNames(server: string, servers: Iterable<string>): readonly string[] {
  const starts = serverSpellings(server).map((spelling) => `${spelling}__`);
  return [...servers]
    .filter((other) => other !== server)
    .flatMap(serverSpellings)
    .filter((other) => starts.some((start) => other.startsWith(start)));
}

/** A server's configuration, as far as permissions depend on it. */
export interface ServerPermissions {
  readonly author: Exclude<ToolAuthor, 'built-in'>;
  readonly origin: string;
  readonly config?: { readonly trust?: boolean | undefined } | undefined;
  /** The user's servers of the same name. */
  readonly twins?: readonly unknown[] | undefined;
  readonly accountOf?: string | undefined;
}

/** A tool as `decide` takes it. `entry`: its server's; without one the author counts as a repository. */
export function toSubject(
  tool: Pick<Tool, 'name' | 'server' | 'tool' | 'title' | 'hints' | 'marks'> &
    Partial<Pick<Tool, 'isOurs' | 'act' | 'alias'>>,
  { entry, isTyped = false, sharesName = false, longer = [], claims, isUnpinned = false }: SubjectOptions = {},
): PermissionSubject {
  const { name, server, title, hints, marks, act, alias } = tool;
  // Reading a resource or a prompt is the server's action, even by a built-in tool.
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
    // `trust` is about tools: its author did not agree to pay for sampling.
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
  /** Whether a rule could be meant for another server than that of an entry with this author; see `toClaims`. */
  readonly claims?: ((rule: string, author: ToolAuthor) => boolean) | undefined;
}
