import { unreachable } from '../../base/never.js';
import { flowReason } from '../flow/flow-finding.js';
import { byDoubt, byRule, type DecidedBy, type Decision, placeText } from './decision.js';
import { findNarrow, findServerRule, findWide, type Spelled, spell } from './match.js';
import {
  modeFor,
  type PermissionMode,
  type PermissionSettings,
  type RuleIndex,
  type WrittenMode,
  type WrittenRule,
} from './settings.js';
import { isOwn, type PermissionSubject, type SubjectToolNames } from './subject.js';

/** What the session knows about a tool besides its definition. */
export interface ToolHistory {
  /** The user has allowed the tool for this session. */
  readonly isAnswered?: boolean;
  /** The definition differs from the one that the user allowed. */
  readonly isChanged?: boolean;
  /** The server has an `mcp.lock` without this tool, and the user has not allowed the tool yet. */
  readonly isNew?: boolean;
}

/** Decides about a call. Deny beats ask beats allow. Rules that stop calls match widely, rules that permit narrowly. */
export function decide(subject: PermissionSubject, settings: PermissionSettings, memory: ToolHistory = {}): Decision {
  const spelled = spell(subject);
  const [doubt] = settings.doubts;
  if (doubt?.behavior === 'deny') return deny(byDoubt(doubt), `nothing may be called: ${doubt.reason}`);
  const denied = findStopping(settings, 'deny', { subject, spelled });
  if (denied) return deny(byRule(denied), ruleReason(denied));
  if (subject.isTyped) return allow({ kind: 'typed' }, 'you typed it');
  if (subject.flow?.isDenied === true)
    return deny({ kind: 'flow' }, `mode deny of the flow guard: ${flowReason(subject.flow.finding)}`);

  const written = modeFor(settings, subject);
  const mode = written?.mode ?? 'default';
  if (mode === 'plan' && !isReading(subject)) {
    const { circumstance } = subject;
    const told = (circumstance === undefined ? '' : `${circumstance}, and `) + modeText(mode, written);
    return deny(byMode(mode, written), `${told} lets only tools run that say they only read`);
  }
  const grant = findGrant(subject, settings, { spelled, memory });
  const question = findQuestion(subject, settings, { spelled, memory, grant, mode });
  if (!question) return grant ?? byModeAlone(subject, mode, written);
  const isGranted = grant && !UNGRANTED.has(question.by.kind);
  if (mode !== 'dont-ask' || isGranted) return question;
  const reason = `${modeText(mode, written)} asks nobody, and it would have to: ${question.reason}`;
  return { ...deny(byMode(mode, written), reason), because: question.by };
}

/** Reasons to ask that no permission overrides: mode `dont-ask` denies such a call even when something permits it. */
const UNGRANTED: ReadonlySet<DecidedBy['kind']> = new Set(['rule', 'doubt', 'hook', 'secret', 'flow']);

/** Whether a model is shown a tool. A mode may change every turn, so only rules and unreadable settings count. */
export function isVisible(decision: Decision): boolean {
  return decision.behavior !== 'deny' || (decision.by.kind !== 'rule' && decision.by.kind !== 'doubt');
}

/** Whether neither a rule nor an unreadable setting can hide a tool from a model. */
export function deniesNothing({ lists, doubts }: PermissionSettings): boolean {
  return lists.deny.isEmpty && doubts[0]?.behavior !== 'deny';
}

/** `isVisible` without the full decision, fast enough for ten thousand tools. */
export function isToolVisible(names: SubjectToolNames, { lists, doubts }: PermissionSettings): boolean {
  if (doubts[0]?.behavior === 'deny') return false;
  return lists.deny.isEmpty || findWide(lists.deny, spell(names)) === undefined;
}

/** The deny rule or unreadable setting that forbids everything of a server, resources and prompts included. */
export function deniedServer(
  server: string,
  { lists, doubts }: PermissionSettings,
  accountOf?: string,
): Decision | undefined {
  const [doubt] = doubts;
  if (doubt?.behavior === 'deny') return deny(byDoubt(doubt), `nothing may be called: ${doubt.reason}`);
  const rule = lists.deny.isEmpty ? undefined : findServersRule(lists.deny, server, accountOf);
  return rule && deny(byRule(rule), ruleReason(rule));
}

interface Considered {
  readonly spelled: Spelled;
  readonly memory: ToolHistory;
}

/** What permits the call, unless there is a reason to ask. */
function findGrant(
  subject: PermissionSubject,
  settings: PermissionSettings,
  { spelled, memory }: Considered,
): Decision | undefined {
  const rules = subject.hasTwin === true ? settings.twinAllow : settings.lists.allow;
  const match = rules.isEmpty ? undefined : findNarrow(rules, spelled);
  if (match) return { ...allow(byRule(match.rule), ruleReason(match.rule)), isExact: match.isExact };
  if (memory.isAnswered === true) {
    return { ...allow({ kind: 'session' }, 'you allowed it for this session'), isExact: true };
  }
  const { isTrusted, author, origin, hints } = subject;
  if (isTrusted && isOwn(author)) {
    const by: DecidedBy = { kind: 'trust', ...(origin !== undefined && { file: origin }) };
    return allow(by, `the entry of its server says trust: true${origin === undefined ? '' : `, in ${origin}`}`);
  }
  if (subject.isAllowedByHook === true) return allow({ kind: 'hook' }, 'a hook allowed this call');
  if (author === 'built-in' && hints.readOnly) return allow({ kind: 'built-in' }, 'it is built in and only reads');
  return undefined;
}

/** Why a person has to be asked whatever permits the call. */
function findQuestion(
  subject: PermissionSubject,
  settings: PermissionSettings,
  {
    spelled,
    memory,
    grant,
    mode,
  }: Considered & { readonly grant: ReturnType<typeof findGrant>; readonly mode: PermissionMode },
): Decision | undefined {
  const { marks } = subject;
  if (subject.flow) return ask({ kind: 'flow' }, flowReason(subject.flow.finding));
  if (subject.isAskedByHook === true) return ask({ kind: 'hook' }, 'a hook wants somebody to decide');
  const asked = findStopping(settings, 'ask', { subject, spelled });
  if (asked) return ask(byRule(asked), ruleReason(asked));
  const [doubt] = settings.doubts;
  if (doubt) return ask(byDoubt(doubt), `everything is asked about: ${doubt.reason}`);
  if (marks.needsUser) return ask({ kind: 'needs-user' }, 'its server wants every call of it confirmed');
  if (marks.saysDestructive && grant?.isExact !== true) {
    return ask({ kind: 'hint', hint: 'destructive' }, 'its server states that it may destroy data');
  }
  // The mode `bypass` covers files with secrets as well.
  if (subject.isSecret === true && mode !== 'bypass' && grant?.isExact !== true && grant?.by.kind !== 'hook') {
    return ask({ kind: 'secret' }, 'the file looks like one that holds secrets');
  }
  if (memory.isChanged === true && mode !== 'bypass') {
    return ask({ kind: 'definition' }, 'its definition has changed since you allowed it');
  }
  if (memory.isNew === true && mode !== 'bypass' && grant?.isExact !== true) {
    return ask(
      { kind: 'unpinned' },
      'it is new: mcp.lock has no such tool of its server, and no rule names it exactly',
    );
  }
  return undefined;
}

function byModeAlone(subject: PermissionSubject, mode: PermissionMode, written: WrittenMode | undefined): Decision {
  const { circumstance } = subject;
  const by = byMode(mode, written);
  const told = (circumstance === undefined ? '' : `${circumstance}, and `) + modeText(mode, written);
  switch (mode) {
    case 'default':
    case 'plan':
      return ask(by, `${told} asks about a tool that no rule allows`);
    case 'auto-read':
      if (!isReading(subject)) return ask(by, `${told} asks about what may do more than read`);
      // An entry of the user or administrator vouches for its server's hints; a repository's or a catalogue's does not.
      if (!isOwn(subject.author)) return ask(by, `${told} believes only servers that you configured yourself`);
      return allow({ kind: 'hint', hint: 'read-only' }, `it says that it only reads, and ${told} takes its word`);
    case 'dont-ask':
      return deny(by, `${told} denies what no rule allows`);
    case 'bypass':
      return allow(by, `${told} lets everything run`);
    default:
      return unreachable(mode);
  }
}

function findStopping(
  { lists }: PermissionSettings,
  list: 'deny' | 'ask',
  { subject, spelled }: { readonly subject: PermissionSubject; readonly spelled: Spelled },
): WrittenRule | undefined {
  const index = lists[list];
  if (index.isEmpty) return undefined;
  const { alsoServer, alsoAccountOf } = subject;
  if (alsoServer === undefined) return findWide(index, spelled);
  return findWide(index, spelled) ?? findServersRule(index, alsoServer, alsoAccountOf);
}

function findServersRule(index: RuleIndex, server: string, accountOf: string | undefined): WrittenRule | undefined {
  return findServerRule(index, server) ?? (accountOf === undefined ? undefined : findServerRule(index, accountOf));
}

function isReading({ hints, marks }: PermissionSubject): boolean {
  return hints.readOnly && !marks.saysDestructive;
}

function byMode(mode: PermissionMode, written: WrittenMode | undefined): DecidedBy {
  const { file, line } = written ?? {};
  return { kind: 'mode', mode, ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
}

function modeText(mode: PermissionMode, written: WrittenMode | undefined): string {
  const whose = written?.server === undefined ? '' : ` of server "${written.server}"`;
  return `mode ${mode}${whose}${written ? `, from ${placeText(written)},` : ''}`;
}

function ruleReason(rule: WrittenRule): string {
  return `rule "${rule.text}" in ${rule.list} of ${placeText(rule)}`;
}

function allow(by: DecidedBy, reason: string): Decision {
  return { behavior: 'allow', by, reason };
}

function ask(by: DecidedBy, reason: string): Decision {
  return { behavior: 'ask', by, reason };
}

function deny(by: DecidedBy, reason: string): Decision {
  return { behavior: 'deny', by, reason };
}
