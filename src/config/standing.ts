import { resolve } from 'node:path';
import { nameWord } from '../base/shell-word.js';
import { isObject } from '../base/json.js';
import type { FolderReach } from '../edge/files/folder-reach.js';
import type { FieldIssue, RawEntry } from '../transports/kind.js';
import { transportKindOf, parseEntry, type ServerConfig, serverTargetOf } from '../transports/kinds.js';
import type { ApprovalDecision, Choices } from './approval/approvals.js';
import { entryPlace, type NamedFile } from './approval/approved-place.js';
import type { ConfigContext } from './context.js';
import { expandText } from './entries/expand.js';
import { checkExpanded } from './entries/check-expanded.js';
import { expandEntry } from './entries/expand-entry.js';
import { type FolderNeed, folderNeedOf, withoutFolder } from './approval/folder-need.js';
import { asksForTrust, type FolderTrust } from './approval/folder-trust.js';
import { isForeignEntry } from './entries/foreign.js';
import { foreignHeaders } from './risks/foreign-headers.js';
import { entryHash } from './entries/config-hash.js';
import { nameFault } from './entries/names.js';
import { decidePolicy, type Policy } from './policy/policy.js';
import { type Problem, type ProblemCode, toFieldPath } from './problem.js';
import { placeFields } from './text-place.js';
import { confineServer, describeAsk } from './policy/required-sandbox.js';
import type { ConfigSource, WrittenEntry } from './scope.js';
import type { Approval, ConfiguredServer, Standing } from './entries/server.js';

/** What decides whether a definition may run, besides the definition itself. */
export interface StandingRules {
  readonly context: ConfigContext;
  readonly policies: readonly Policy[];
  readonly choices: Choices;
  readonly disabled: ReadonlySet<string>;
  readonly trust: FolderTrust;
  /** The paths that lead into the working directory, if it is not trusted. */
  readonly reach: () => FolderReach;
  /** The path of a command from a folder, cached: a thousand servers start with the same three commands. */
  readonly findCommand: (command: string, folder: string) => string | undefined;
  /** Watches a missing file that would change a standing if it appeared. */
  readonly watch: (file: string) => void;
}

/** Checks, expands and judges every entry of one source. A bad entry is a problem and an invalid server, no more. */
export async function decideStandings(
  source: ConfigSource,
  judge: StandingRules,
): Promise<{ readonly servers: readonly ConfiguredServer[]; readonly problems: readonly Problem[] }> {
  const servers: ConfiguredServer[] = [];
  const problems: Problem[] = [];
  const variables = { ...judge.context.env, ...projectVariables(judge.context), ...source.variables };
  const issues: { readonly issue: EntryIssue; readonly entry: WrittenEntry }[] = [];
  for (const entry of source.entries.slice(0, SERVERS_LIMIT)) {
    const judged = judgeSafely(entry, { source, judge, variables });
    servers.push(judged.server);
    for (const issue of judged.issues) issues.push({ issue, entry });
  }
  for (const { issue, entry } of issues.slice(0, PROBLEMS_LIMIT))
    problems.push(await toEntryProblem(issue, entry, source));
  const leftOut = source.entries.length - SERVERS_LIMIT;
  if (leftOut > 0) problems.push(tooMany(source, `${leftOut} of its ${source.entries.length} servers are left out`));
  const omitted = issues.length - PROBLEMS_LIMIT;
  if (omitted > 0) problems.push(tooMany(source, `${omitted} more problems with its servers are not listed`));
  return { servers, problems };
}

const SERVERS_LIMIT = 10_000; // per file: ten times the most seen
const PROBLEMS_LIMIT = 200; // per file: nobody repairs more at once, and a hostile file has a hundred thousand

function tooMany({ origin }: ConfigSource, message: string): Problem {
  return {
    severity: 'warning',
    code: 'odd-value',
    file: origin,
    message,
    hint: 'Check the program that wrote this file',
  };
}

/** An unexpected exception makes only this server invalid. */
function judgeSafely(entry: WrittenEntry, options: JudgeEntry): ReturnType<typeof judgeEntry> {
  try {
    return judgeEntry(entry, options);
  } catch (error) {
    const { scope, origin, author } = options.source;
    const message = `it could not be checked: ${error instanceof Error ? error.message : String(error)}`;
    const issue: EntryIssue = { severity: 'error', code: 'invalid-entry', path: [], message };
    const standing = { kind: 'invalid', reason: message } as const;
    return {
      server: { name: entry.name, scope, origin, author, written: undefined, config: undefined, standing },
      issues: [issue],
    };
  }
}

interface EntryIssue extends FieldIssue {
  readonly code: ProblemCode;
}

interface JudgeEntry {
  readonly source: ConfigSource;
  readonly judge: StandingRules;
  readonly variables: { readonly [name: string]: string | undefined };
}

function judgeEntry(
  { name, raw }: WrittenEntry,
  { source, judge, variables }: JudgeEntry,
): { readonly server: ConfiguredServer; readonly issues: readonly EntryIssue[] } {
  const issues: EntryIssue[] = [];
  const written = isObject(raw) ? raw : undefined;
  const base = { name, scope: source.scope, origin: source.origin, author: source.author, written };
  const invalid = (config?: ServerConfig): { server: ConfiguredServer; issues: readonly EntryIssue[] } => {
    const first = issues.find(({ severity }) => severity === 'error');
    const field = first === undefined || first.path.length === 0 ? '' : `${toFieldPath(first.path)}: `;
    return { server: { ...base, config, standing: { kind: 'invalid', reason: `${field}${first?.message}` } }, issues };
  };

  const fault = nameFault(name, source.scope);
  if (fault) {
    issues.push({ severity: 'error', code: fault.code, path: [], message: fault.message, hint: fault.hint });
    return invalid();
  }
  const followed = written && withoutUserOnlyFields(written, source, issues);
  const expanded =
    followed && (source.hasVariables ? expandEntry(followed, variables) : { entry: followed, missing: [] });
  const startsInPrivateFolder = expanded !== undefined && startsApart(expanded.entry, source, judge);
  const entry =
    startsInPrivateFolder && written ? withoutFolder(written, expanded.entry, judge.reach()) : expanded?.entry;
  const { config, issues: found } = parseEntry(entry ?? raw);
  for (const issue of found)
    issues.push({ ...issue, code: issue.severity === 'error' ? 'invalid-entry' : 'unknown-field' });
  if (!config || !written || !expanded) return invalid();
  if (transportKindOf(config).origin === 'embedder' && source.scope !== 'dynamic') {
    const message = `"${config.type}" servers are served by the program that embeds Plugboard`;
    const hint = 'Use http, sse, ws or a command';
    issues.push({ severity: 'error', code: 'invalid-entry', path: ['type'], message, hint });
    return invalid();
  }
  for (const issue of [...foreignHeaders(config, source), ...checkExpanded(config, expanded)]) {
    issues.push({ ...issue, code: issue.severity === 'error' ? 'invalid-entry' : 'odd-value' });
  }
  if (issues.some(({ severity }) => severity === 'error')) return invalid(config);

  const required = judge.policies.flatMap(({ requireSandbox }) => requireSandbox ?? []);
  const asked = describeAsk(config, required);
  const bound = source.author === 'repository' ? toApproval(written, { source, judge, variables }) : undefined;
  const answer = bound && choiceFor(bound, judge.choices.get(name) ?? [], judge.watch);
  const need = startsInPrivateFolder ? folderNeedOf(written, expanded.entry, needOf(judge)) : undefined;
  const standing = toStanding({ name, origin: source.origin, config, answer, need }, judge);
  const approval = bound && {
    ...bound,
    sees: seesOf(answer?.choice),
    ...(asked.length > 0 && { sandbox: asked }),
  };
  // Version 0.1.0 also showed the whole entry before it remembered an approval, so the sandbox was shown, too.
  const isNamed = answer?.choice?.decision === 'approved';
  const confined = confineServer(config, { name, required, source, isNamed });
  if (standing.kind === 'ready') {
    for (const issue of confined.issues) issues.push({ ...issue, code: 'ignored-field' });
    for (const { variable, path } of expanded.missing) {
      if (isOwnVariable(variable, path, expanded.entry)) continue;
      const message = `Missing environment variables: ${variable}`;
      const hint = `Set ${variable}, or give it a default: \${${variable}:-value}`;
      issues.push({ severity: 'warning', code: 'missing-variable', path, message, hint });
    }
  }
  const server = {
    ...base,
    config: confined.config,
    standing,
    ...(approval && { approval }),
    ...(startsInPrivateFolder && { startsInPrivateFolder }),
  };
  return { server, issues };
}

/** An argument may use a variable of the entry's own `env`: the started program expands it itself. */
function isOwnVariable(variable: string, path: readonly (string | number)[], { env }: RawEntry): boolean {
  return path[0] === 'args' && isObject(env) && Object.hasOwn(env, variable);
}

interface Standable {
  readonly name: string;
  readonly origin: string;
  readonly config: ServerConfig;
  /** The user's decision, for an entry that needs approval. */
  readonly answer: Answer | undefined;
  /** Why it can only start in the working directory, which is not trusted. */
  readonly need: string | undefined;
}

interface Answer {
  readonly choice?: ApprovalDecision;
  readonly otherFile?: NamedFile;
}

/** In this order: denied by policy, disabled (which needs no approval), not approved, not trusted. */
function toStanding({ name, origin, config, answer, need }: Standable, judge: StandingRules): Standing {
  const verdict = decidePolicy(judge.policies, { name, target: serverTargetOf(config) });
  if (verdict.kind === 'denied') return verdict;
  if (judge.disabled.has(name)) return { kind: 'disabled', by: 'user' };
  if (config.disabled === true) return { kind: 'disabled', by: 'entry' };
  if (answer) {
    const choices = judge.choices.get(name) ?? [];
    const { choice, otherFile } = answer;
    // `--approve-project-servers` applies to undecided servers, not against a decision.
    const isApproved = choice?.decision === 'approved' || (!choice && judge.context.options.approveProject === true);
    if (!isApproved) {
      const previous = choices.find(({ file }) => file === origin);
      return {
        kind: 'unapproved',
        rejected: choice !== undefined,
        ...(previous && !choice && { previous, ...(otherFile && { otherFile }) }),
      };
    }
  }
  if (need !== undefined) {
    const { folder, kind } = judge.trust;
    return { kind: 'untrusted', folder, isRefused: kind === 'untrusted', reason: need };
  }
  return { kind: 'ready' };
}

/** The decision about this definition where its words mean the same files; else a rejection made elsewhere. */
function choiceFor(
  { hash, place }: BoundTo,
  choices: readonly ApprovalDecision[],
  watch: StandingRules['watch'],
): Answer {
  const same = choices.filter((choice) => choice.hash === hash);
  const others: NamedFile[] = [];
  for (const choice of same) {
    const otherFile = place.otherFile(choice, watch);
    if (!otherFile) return { choice };
    others.push(otherFile);
  }
  const rejected = same.find(({ decision }) => decision === 'rejected');
  return rejected ? { choice: rejected } : { ...(others[0] && { otherFile: others[0] }) };
}

/** Whether processes of an entry start in a private folder instead of the working directory. */
function startsApart(
  { command, headersHelper }: RawEntry,
  source: ConfigSource,
  { trust, context }: StandingRules,
): boolean {
  if (trust.kind === 'trusted' || !asksForTrust(source, context)) return false;
  return typeof command === 'string' || typeof headersHelper === 'string';
}

function needOf({ context: { cwd }, reach }: StandingRules): FolderNeed {
  return { cwd, reach: reach() };
}

/** Set for every entry, so that a shared file can refer to the project's folder. */
function projectVariables({ projectRoot }: ConfigContext): Record<string, string> {
  return { PLUGBOARD_PROJECT_DIR: projectRoot, CLAUDE_PROJECT_DIR: projectRoot };
}

type BoundTo = Omit<Approval, 'sees'>;

function seesOf(choice: ApprovalDecision | undefined): 'all' | 'old' | 'none' {
  if (choice?.signIn === undefined) return 'old';
  return choice.signIn ? 'all' : 'none';
}

function toApproval(written: RawEntry, { judge, variables }: JudgeEntry): BoundTo {
  const { command, cwd } = written;
  const isCommand = typeof command === 'string';
  const start = isCommand && typeof cwd === 'string' ? expandText(cwd, variables).text : '.';
  const folder = resolve(judge.context.cwd, start);
  const place = entryPlace({ written, folder, variables });
  const commandPath = isCommand ? judge.findCommand(expandText(command, variables).text, folder) : undefined;
  return { hash: entryHash(written, commandPath), place, ...(commandPath !== undefined && { commandPath }) };
}

/** Removes, with a warning, fields that only the user may set. */
function withoutUserOnlyFields(written: RawEntry, source: ConfigSource, issues: EntryIssue[]): RawEntry {
  const ignore = (path: readonly string[], message: string): void => {
    const hint = 'Put it into your user or local config';
    issues.push({ severity: 'warning', code: 'ignored-field', path, message: `is ignored: ${message}`, hint });
  };
  let followed = written;
  if (source.author === 'repository' && written['trust'] !== undefined) {
    ignore(['trust'], 'a project file cannot make its own server trusted');
    const { trust: _, ...rest } = written;
    followed = rest;
  }
  const { sandbox } = followed;
  if (isForeignEntry(source) && isObject(sandbox) && sandbox['read'] !== undefined) {
    ignore(['sandbox', 'read'], 'only an entry of your own opens what a sandbox hides');
    const { read: _, ...rest } = sandbox;
    followed = { ...followed, sandbox: rest };
  }
  return followed;
}

async function toEntryProblem(issue: EntryIssue, entry: WrittenEntry, source: ConfigSource): Promise<Problem> {
  const place = await source.placeOf([...entry.path, ...issue.path]);
  return {
    severity: issue.severity,
    code: issue.code,
    file: source.origin,
    ...placeFields(place),
    server: entry.name,
    ...(issue.path.length > 0 && { field: toFieldPath(issue.path) }),
    message: issue.message,
    hint: issue.hint ?? `plugboard get ${nameWord(entry.name)}`,
  };
}
