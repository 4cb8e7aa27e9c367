import { HostError } from '../../base/errors.js';
import { trustCommand, untrustedText } from '../../model/untrusted-text.js';
import type { LoadedConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/server.js';
import { isReadingBuiltIn } from '../../model/permissions/built-ins.js';
import { decide } from '../../model/permissions/decide.js';
import { type Decision, placeText } from '../../model/permissions/decision.js';
import { withheldRule } from '../../model/permissions/allowing-rules.js';
import { hooksFor } from '../../model/permissions/hooks-for.js';
import {
  longerNames,
  type PermissionSubject,
  serverSpellings,
  sharedNames,
  toSubject,
} from '../../model/permissions/subject.js';
import type { Tool } from '../../model/tool.js';
import { toClaims } from '../../model/permissions/rivals.js';
import { rivalsOf } from '../../host/rivals.js';
import type { HostRun } from '../open-host.js';
import { findAct } from '../find-act.js';
import { loadToStart } from '../load-to-start.js';
import { problemNotes } from '../load.js';
import { hooksText, rulesText } from '../rules-text.js';
import { showLine, showName } from '../../model/show.js';
import type { Outcome, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const permissions: Verb = {
  name: 'permissions',
  usage: '[TOOL]',
  summary: 'Show what decides whether a tool may be called, or all rules',
  completes: 'tool',
  examples: [
    'plugboard permissions',
    'plugboard permissions mcp__github__create_issue',
    'plugboard permissions Read --json',
  ],
  async run(invocation, io) {
    const [word, ...more] = invocation.positionals;
    if (more.length > 0) {
      throw usageError(`permissions takes one tool, got "${more[0]}" besides`, { hint: 'plugboard permissions TOOL' });
    }
    const loaded = await loadToStart(invocation, io, { starts: () => false });
    const { withHost } = await import('../open-host.js');
    const ready = loaded.servers.filter(({ standing }) => standing.kind === 'ready');
    const only = word === undefined ? ready : await meantServers(word, ready);
    const names = only.map(({ name }) => name);
    // Nothing has to run for what is known from an earlier time.
    const options = { invocation, io, loaded, only: names, start: 'lazy', isReport: true } as const;
    const outcome = await withHost(options, async (run) => {
      const told = word === undefined ? showRules(loaded, run) : await explainTool(word, loaded, run);
      return { ...told, notes: [...(told.notes ?? []), ...run.notes] };
    });
    const problems = loaded.problems.filter(({ field = '' }) => /\b(?:permissions|hooks)\b/u.test(field));
    const notes = problemNotes(problems, { invocation, io });
    return { ...outcome, notes: [...(outcome.notes ?? []), ...notes] };
  },
};

/** Those that have to be asked for a tool of that name. */
async function meantServers(word: string, ready: readonly ConfiguredServer[]): Promise<readonly ConfiguredServer[]> {
  if (isReadingBuiltIn(word) || findAct(word, ready)) return [];
  const { serversFor } = await import('../find-tool.js');
  try {
    return serversFor({ word, isAdHoc: false }, ready, { problems: [] });
  } catch {
    return []; // it is explained by its name
  }
}

async function explainTool(word: string, loaded: LoadedConfig, run: HostRun): Promise<Outcome> {
  const entries = loaded.servers;
  const act = findAct(word, entries);
  const { tool, note } = act ? { tool: undefined, note: undefined } : await findMeant(word, run);
  const guess = tool ? undefined : guessTool(word, entries);
  const meant = act ?? tool ?? guess ?? nameless(word);
  const entry = meant.server === undefined ? undefined : pickEntry(entries, meant.server);
  const names = entries.map(({ name }) => name);
  const isShared = meant.server !== undefined && sharedNames(names).has(meant.server);
  const longer = meant.server === undefined ? [] : longerNames(meant.server, names);
  const rivals = meant.server === undefined ? [] : rivalsOf(meant.server, entries, (name) => run.host.connection(name));
  const subject = toSubject(meant, { entry, sharesName: isShared, longer, claims: toClaims(rivals) });
  // A call is held against what the user allowed, and against mcp.lock: only a host knows both.
  const foreseen = tool && !barred(entry) ? await run.host.foresee(tool.name) : undefined;
  const told = barred(entry) ?? foreseen ?? decide(subject, loaded.permissions);
  const { behavior, by, reason } = told;
  const hooks = behavior === 'deny' ? [] : hooksFor(subject, loaded.hooks);
  const withheld = withheldRule(loaded.permissions, subject);
  const file = 'file' in by ? by.file : undefined;
  const line = 'line' in by ? by.line : undefined;
  return {
    data: {
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
    },
    text: [
      `${subject.name}: ${WORDS[behavior]}`,
      `  Why: ${reason}`,
      ...(subject.server === undefined ? [] : [`  Server: ${subject.server}${entry ? `, from ${entry.origin}` : ''}`]),
      ...(act?.act === 'resources' || act?.act === 'prompts' ? [`  ${UNASKED[act.act]}`] : []),
      ...(tool ? [`  It says of itself: ${selfText(subject)}`] : []),
      ...hooks.map(
        (hook) => `  ${hook.event} hook "${hook.matcher ?? '*'}" of ${placeText(hook)} ${HOOKS[hook.event]}`,
      ),
      ...(withheld ? [`  Rule "${withheld.text}" of ${placeText(withheld)} is for your own server of that name`] : []),
      ...acceptLines(by.kind, subject),
    ]
      .map(showLine)
      .join('\n'),
    notes: note === undefined ? [] : [showLine(note)],
  };
}

const UNASKED = {
  resources: 'Addresses that the server has listed are read without a question, unless a rule or a hook says no',
  prompts: 'A prompt that you type is got without a question, unless a rule or a hook says no',
} as const;

/** How to say yes to what keeps a tool that is allowed from being called. */
function acceptLines(kind: string, { name, server = '' }: PermissionSubject): string[] {
  if (kind === 'definition' || kind === 'unpinned') {
    return [`  See what it is now: plugboard approve ${name} --dry-run`, `  Accept that: plugboard approve ${name}`];
  }
  return kind === 'lock' ? [`  See what is different: plugboard approve --diff ${showName(server)}`] : [];
}

const HOOKS: Readonly<Record<string, string>> = {
  PreToolUse: 'sees each call first, and may block it, change it, or have it asked about',
  PostToolUse: 'sees each result, and may change it',
};
const WORDS = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const;

interface Meant {
  readonly tool: Tool | undefined;
  /** Why only its name is known. */
  readonly note?: string;
}

async function findMeant(word: string, run: HostRun): Promise<Meant> {
  const tools = run.host.tools();
  const known = tools.find(
    ({ name, server, tool }) => name === word || (server !== undefined && `${server}.${tool}` === word),
  );
  if (known) return { tool: known };
  if (isReadingBuiltIn(word)) return { tool: undefined };
  const { findTool } = await import('../find-tool.js');
  try {
    return { tool: await findTool({ word, isAdHoc: false }, run) };
  } catch (error) {
    const isAmbiguous = tools.filter(({ tool }) => tool === word).length > 1;
    if (!(error instanceof HostError) || error.code === 'cancelled' || isAmbiguous) throw error;
    return { tool: undefined, note: `warning nothing is known of "${word}" but its name: ${error.message}` };
  }
}

/** Of whose tool a name that nobody knows would be: the longest name of a server that it begins with. */
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

/** One that is built in, or of a server that is configured nowhere. */
function nameless(word: string): Meaning {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/u.exec(word) ?? [];
  const hints = { ...NOTHING_KNOWN.hints, readOnly: isReadingBuiltIn(word) };
  return { ...NOTHING_KNOWN, hints, name: word, server, tool: tool ?? word };
}

/** What a server leaves open is taken as the worse. */
const NOTHING_KNOWN = {
  title: undefined,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
};

function pickEntry(servers: readonly ConfiguredServer[], name: string): ConfiguredServer | undefined {
  const found = servers.filter((server) => server.name === name);
  return found.find(({ standing }) => standing.kind === 'ready') ?? found[0];
}

/** A server that may not run decides before any rule. */
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
  suppressed: 'another definition comes before it',
};

function selfText({ hints, marks }: PermissionSubject): string {
  const said = [
    hints.readOnly ? 'only reads' : 'may do more than read',
    ...(marks.saysDestructive ? ['destroys'] : []),
    ...(marks.needsUser ? ['wants every call confirmed'] : []),
  ];
  return said.join(', ');
}

function showRules({ permissions: settings }: LoadedConfig, { host }: HostRun): Outcome {
  const { rules: unmatched, hooks } = host.unmatched();
  const { modes, rules, doubts } = settings;
  const general = modes.find(({ server }) => server === undefined);
  return {
    data: {
      mode: general?.mode ?? 'default',
      ...(general && { file: general.file, ...(general.line !== undefined && { line: general.line }) }),
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
    },
    text: [...rulesText(settings, unmatched), ...hooksText(hooks)].map(showLine).join('\n'),
  };
}

function placeOf({ file, line }: { readonly file: string; readonly line?: number }): { file: string; line?: number } {
  return { file, ...(line !== undefined && { line }) };
}
