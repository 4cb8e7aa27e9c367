import { HostError } from '../../base/errors.js';
import type { HostConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import type { withheldRule } from '../../model/permissions/allowing-rules.js';
import { isReadingBuiltIn } from '../../model/permissions/built-ins.js';
import { type Decision, placeText } from '../../model/permissions/decision.js';
import type { hooksFor } from '../../model/permissions/hooks-for.js';
import type { FlowSettings } from '../../model/flow/flow-settings.js';
import { otherServerTest } from '../../model/permissions/rivals.js';
import type { PermissionSettings } from '../../model/permissions/settings.js';
import {
  longerNames,
  type PermissionSubject,
  serverSpellings,
  sharedNames,
  toSubject,
} from '../../model/permissions/subject.js';
import { showLine, showName } from '../../model/show.js';
import { readStatedHints, statedLine } from '../../model/stated-hints.js';
import type { Tool } from '../../model/tool.js';
import { trustCommand, untrustedText } from '../../model/text/untrusted-text.js';
import { type Action, defineAction } from '../action.js';
import type { ActionContext } from '../action-context.js';
import { type HostPlace, hostOf } from '../action-place.js';
import { findAct, type NamedAct } from './find-act.js';
import type { FoundTool } from './find-tool.js';
import { flowText, hooksText, rulesText } from './rules-text.js';

const args = { tool: { kind: 'word', noun: 'tool', isOptional: true } } as const;

type Permissions = Rules | Explained;

/** All permission settings, and the rules among them that match nothing known. */
interface Rules {
  readonly kind: 'rules';
  readonly settings: PermissionSettings;
  readonly flow: FlowSettings;
  /** The names of servers, which rules about flows may name. */
  readonly servers: readonly string[];
  readonly unmatched: ReturnType<Host['unmatched']>;
}

/** The decision about one tool. */
interface Explained {
  readonly kind: 'tool';
  readonly subject: PermissionSubject;
  readonly decision: Pick<Decision, 'behavior' | 'reason'> & { readonly by: Decision['by'] | ServerBar };
  readonly entry: ConfiguredServer | undefined;
  readonly act: NamedAct | undefined;
  /** The hints, and who states them; undefined where the tool is not known. */
  readonly stated: string | undefined;
  readonly hooks: ReturnType<typeof hooksFor>;
  readonly withheld: ReturnType<typeof withheldRule>;
  readonly note: string | undefined;
}

export const permissions: Action<typeof args, Permissions> = defineAction({
  name: 'permissions',
  label: 'permissions',
  doing: 'looking at rules',
  summary: 'Show what decides whether a tool may be called, or all rules',
  args,
  needs: 'host',
  // Tools in the catalog cache need no running server.
  opening: { servers: meantServers, mayStart: () => false, isLazy: true, isReport: true },
  async run(on, { tool }, context): Promise<Permissions> {
    const place = hostOf(on);
    if (tool !== undefined) return explainTool(tool, place, context);
    const { host } = place;
    const { flow, servers } = host[inside].loaded;
    return {
      kind: 'rules',
      settings: host.permissionSettings,
      flow,
      servers: servers.map(({ name }) => name),
      unmatched: host.unmatched(),
    };
  },
  json: (outcome) => (outcome.kind === 'rules' ? toRulesJson(outcome) : toToolJson(outcome)),
  tell(outcome) {
    const lines =
      outcome.kind === 'rules'
        ? [
            ...rulesText(outcome.settings, outcome.unmatched.rules),
            ...flowText(outcome.flow, outcome.servers),
            ...hooksText(outcome.unmatched.hooks),
          ]
        : toolLines(outcome);
    const note = outcome.kind === 'tool' ? outcome.note : undefined;
    return {
      tone: 'note',
      parts: lines.map((line) => ({ kind: 'sentence', text: showLine(line) })),
      notes: note === undefined ? [] : [showLine(note)],
    };
  },
});

/** The servers that may have the tool; all of them when rules are shown. */
async function meantServers(
  { servers }: HostConfig,
  { tool: word }: { readonly tool: string | undefined },
): Promise<readonly string[]> {
  const ready = servers.filter(({ standing }) => standing.kind === 'ready');
  if (word === undefined) return ready.map(({ name }) => name);
  if (isReadingBuiltIn(word) || findAct(word, ready)) return [];
  const { serversForTool } = await import('./find-tool.js');
  try {
    return (await serversForTool({ word, isAdHoc: false }, ready, { problems: [] })).map(({ name }) => name);
  } catch {
    return []; // the tool is explained by its name alone
  }
}

async function explainTool(word: string, on: HostPlace, context: ActionContext): Promise<Explained> {
  const { host } = on;
  const { loaded } = host[inside];
  const entries = loaded.servers;
  const act = findAct(word, entries);
  const { tool, note } = act ? { tool: undefined, note: undefined } : await findMeant(word, on, context);
  const meant = act ?? tool ?? guessTool(word, entries) ?? nameless(word);
  const { server } = meant;
  const entry = server === undefined ? undefined : pickEntry(entries, server);
  const names = entries.map(({ name }) => name);
  // The rule matcher is 50 kB, which no other action needs.
  const rules = await import('../../model/permissions/allowing-rules.js');
  const { decide } = await import('../../model/permissions/decide.js');
  const hooks = await import('../../model/permissions/hooks-for.js');
  const { rivalsOf } = await import('../../host/tools/rivals.js');
  const subject = toSubject(meant, {
    entry,
    sharesName: server !== undefined && sharedNames(names).has(server),
    longer: server === undefined ? [] : longerNames(server, names),
    claims: otherServerTest(server === undefined ? [] : rivalsOf(server, entries, (name) => host[inside].server(name))),
  });
  const bar = barred(entry);
  // A call is also compared with the definition that the user allowed and with mcp.lock; only a host knows both.
  const foreseen = tool && !bar ? await host.foresee(tool.name) : undefined;
  const decision = bar ?? foreseen ?? decide(subject, loaded.permissions);
  return {
    kind: 'tool',
    subject,
    decision,
    entry,
    act,
    stated: tool && (await statedBy(tool)),
    hooks: decision.behavior === 'deny' ? [] : hooks.hooksFor(subject, loaded.hooks),
    withheld: rules.withheldRule(loaded.permissions, subject),
    note,
  };
}

function toToolJson({ subject, decision: { behavior, by, reason }, withheld, hooks }: Explained): object {
  const file = 'file' in by ? by.file : undefined;
  const line = 'line' in by ? by.line : undefined;
  return {
    tool: subject.name,
    behavior,
    by,
    reason,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(withheld && { withheld: { rule: withheld.text, list: withheld.list, ...placeOf(withheld) } }),
    ...(hooks.length > 0 && {
      hooks: hooks.map(({ event, matcher = '*', ...place }) => ({ event, matcher, ...placeOf(place) })),
    }),
  };
}

async function statedBy(tool: Tool): Promise<string> {
  const stated = statedLine({ hints: tool.hints, stated: await readStatedHints(tool) });
  return tool.marks.needsUser ? `${stated}, wants every call confirmed` : stated;
}

function toolLines({ subject, decision, entry, act, stated, hooks, withheld }: Explained): readonly string[] {
  const { behavior, by, reason } = decision;
  return [
    `${subject.name}: ${WORDS[behavior]}`,
    `  Why: ${reason}`,
    ...(subject.server === undefined ? [] : [`  Server: ${subject.server}${entry ? `, from ${entry.origin}` : ''}`]),
    ...(act?.act === 'resources' || act?.act === 'prompts' ? [`  ${UNASKED[act.act]}`] : []),
    ...(stated === undefined ? [] : [`  ${stated}`]),
    ...hooks.map((hook) => `  ${hook.event} hook "${hook.matcher ?? '*'}" of ${placeText(hook)} ${HOOKS[hook.event]}`),
    ...(withheld
      ? [`  Rule "${withheld.text}" of ${placeText(withheld)} applies only to your own server of that name`]
      : []),
    ...acceptLines(by.kind, subject),
  ];
}

const UNASKED = {
  resources: 'Resources that the server has listed are read without asking you, unless a rule or a hook says no',
  prompts: 'A prompt that you type is fetched without asking you, unless a rule or a hook says no',
} as const;

/** The commands that accept a changed definition, when it keeps an allowed tool from being called. */
function acceptLines(kind: string, { name, server = '' }: PermissionSubject): string[] {
  if (kind === 'definition' || kind === 'unpinned') {
    return [`  See its definition: plugboard approve ${name} --dry-run`, `  Accept it: plugboard approve ${name}`];
  }
  return kind === 'lock' ? [`  See what is different: plugboard approve --diff ${showName(server)}`] : [];
}

const HOOKS: Readonly<Record<string, string>> = {
  PreToolUse: 'sees each call first, and may block it, change it, or have it ask you first',
  PermissionRequest: 'may decide where you would be asked',
  PostToolUse: 'sees each result, and may change it',
  PostToolUseFailure: 'sees each failure, and may change what the model reads of it',
};
const WORDS = { allow: 'allowed', ask: 'asks you first', deny: 'denied' } as const;

interface Meant {
  readonly tool: FoundTool | undefined;
  /** Why only the tool's name is known. */
  readonly note?: string;
}

async function findMeant(word: string, on: HostPlace, context: ActionContext): Promise<Meant> {
  if (isReadingBuiltIn(word)) return { tool: undefined };
  const { findTool } = await import('./find-tool.js');
  try {
    return { tool: await findTool({ word, isAdHoc: false }, on, context) };
  } catch (error) {
    const isAmbiguous = on.host.tools().filter(({ tool }) => tool === word).length > 1;
    if (!(error instanceof HostError) || error.code === 'cancelled' || isAmbiguous) throw error;
    return { tool: undefined, note: `warning: only the name of "${word}" is known: ${error.message}` };
  }
}

/** The server and tool that an unknown name would mean: the server with the longest name that the word starts with. */
function guessTool(word: string, servers: readonly ConfiguredServer[]): Meaning | undefined {
  const starts = servers.flatMap(({ name }) => [
    { server: name, start: `${name}.` },
    ...serverSpellings(name).map((spelling) => ({ server: name, start: `mcp__${spelling}__` })),
  ]);
  const [best] = starts
    .filter(({ start }) => word.startsWith(start) && word.length > start.length)
    .toSorted((a, b) => b.start.length - a.start.length);
  if (!best) return undefined;
  const tool = word.slice(best.start.length);
  const name = word.startsWith('mcp__') ? word : `mcp__${serverSpellings(best.server).at(-1)!}__${tool}`;
  return { ...NOTHING_KNOWN, name, server: best.server, tool };
}

type Meaning = Pick<Tool, 'name' | 'server' | 'tool' | 'title' | 'hints' | 'marks'>;

/** A built-in tool, or a tool of a server that is not configured. */
function nameless(word: string): Meaning {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(word) ?? [];
  const hints = { ...NOTHING_KNOWN.hints, readOnly: isReadingBuiltIn(word) };
  return { ...NOTHING_KNOWN, hints, name: word, server, tool: tool ?? word };
}

/** The worst case for every hint that a server leaves out. */
const NOTHING_KNOWN = {
  title: undefined,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
};

function pickEntry(servers: readonly ConfiguredServer[], name: string): ConfiguredServer | undefined {
  const found = servers.filter((server) => server.name === name);
  return found.find(({ standing }) => standing.kind === 'ready') ?? found[0];
}

/** The denial for a server that may not run; it comes before every rule. */
function barred(
  entry: ConfiguredServer | undefined,
): (Pick<Decision, 'behavior' | 'reason'> & { by: ServerBar }) | undefined {
  if (!entry || entry.standing.kind === 'ready') return undefined;
  const { standing, origin, name } = entry;
  const why = whyBarred(standing);
  return {
    behavior: 'deny',
    by: { kind: standing.kind === 'denied' ? 'policy' : 'server', standing: standing.kind, file: origin },
    reason: `its server "${name}" may not run: ${why}`,
  };
}

function whyBarred(standing: ConfiguredServer['standing']): string | undefined {
  if (standing.kind === 'untrusted') return `it ${untrustedText(standing)}. Run: ${trustCommand(standing.folder)}`;
  return 'reason' in standing ? standing.reason : STANDINGS[standing.kind];
}

interface ServerBar {
  readonly kind: 'policy' | 'server';
  readonly standing: ConfiguredServer['standing']['kind'];
  readonly file: string;
  readonly line?: number;
}

const STANDINGS: Readonly<Record<string, string>> = {
  disabled: 'it is disabled',
  unapproved: 'it comes from this project and is not approved',
  suppressed: 'another definition replaces it',
};

function toRulesJson({ settings, flow, unmatched: { rules: unmatched, hooks } }: Rules): object {
  const { modes, rules, doubts } = settings;
  const general = modes.find(({ server }) => server === undefined);
  return {
    mode: general?.mode ?? 'default',
    ...(general && { file: general.file, ...(general.line !== undefined && { line: general.line }) }),
    flow: {
      ...(flow.mode !== undefined && { mode: flow.mode }),
      allow: [...(flow.allow ?? []), ...(flow.ownAllow ?? [])],
    },
    servers: modes.filter(({ server }) => server !== undefined),
    rules: rules.map(({ text, ...rest }) => ({ rule: text, ...rest })),
    unmatched: unmatched.map(({ rule, meant }) => ({
      rule: rule.text,
      list: rule.list,
      ...placeOf(rule),
      ...(meant !== undefined && { meant }),
    })),
    unmatchedHooks: hooks.map(({ hook: { event, matcher, ...place }, meant, fault }) => ({
      event,
      matcher,
      ...placeOf(place),
      ...(meant !== undefined && { meant }),
      ...(fault !== undefined && { fault }),
    })),
    doubts,
  };
}

function placeOf({ file, line }: { readonly file: string; readonly line?: number }): { file: string; line?: number } {
  return { file, ...(line !== undefined && { line }) };
}
