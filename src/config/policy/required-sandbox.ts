import { nameWord } from '../../base/shell-word.js';
import type { SandboxSettings } from '../../edge/sandbox/sandbox.js';
import type { FieldIssue } from '../../transports/kind.js';
import { confine, transportKindOf, type ServerConfig } from '../../transports/kinds.js';
import { isForeignEntry, type Provenance } from '../entries/foreign.js';

/** A policy that requires a sandbox, at least this narrow, for everything that starts a process. */
export interface RequiredSandbox {
  readonly by: 'administrator' | 'user';
  readonly file: string;
  /** What the sandbox gives every server: nothing if the policy is just `true`. */
  readonly gives: SandboxSettings;
}

export interface RequiredOptions {
  readonly required: readonly RequiredSandbox[];
  /** The author and scope of the entry. */
  readonly source: Provenance;
  /** The user has approved exactly this entry, after being shown what it asks for. */
  readonly isNamed: boolean;
}

interface SandboxDecision {
  readonly settings: SandboxSettings;
  /** What the entry asks for but does not get. */
  readonly refused: readonly RefusedSetting[];
}

interface RefusedSetting {
  readonly field: 'network' | 'read' | 'write' | 'sockets';
  readonly policy: RequiredSandbox;
}

/**
 * The sandbox of a server where policies require one. An entry may ask for less; for more only if its author wrote the
 * policy or outranks it. A repository's entry may exceed the user's policy if the user has approved that.
 */
function toRequired(own: SandboxSettings | undefined, options: RequiredOptions): SandboxDecision {
  const { required } = options;
  const limits = required.reduce<SandboxSettings>((sum, { gives }) => ({ ...sum, ...limitsOf(gives, sum) }), {});
  if (!own) {
    const [first, ...others] = required.map(({ gives }) => gives);
    const settings = others.reduce((sum, gives) => narrow(sum, gives), first ?? {});
    return { settings: { ...settings, ...limits }, refused: [] };
  }
  let settings: SandboxSettings = own;
  const refused: RefusedSetting[] = [];
  for (const policy of required.filter((one) => !mayWiden(one, options))) {
    const narrowed = narrow(settings, policy.gives);
    for (const field of ['network', 'read', 'write', 'sockets'] as const) {
      if (isLess(narrowed[field], settings[field])) refused.push({ field, policy });
    }
    settings = { ...narrowed, ...limitsOf(policy.gives, narrowed) };
  }
  return { settings: { ...limits, ...settings }, refused };
}

/** The server in its required sandbox, and an issue for each thing that it asks for in vain. */
export function confineServer(
  config: ServerConfig,
  options: RequiredOptions & { readonly name: string },
): { readonly config: ServerConfig; readonly issues: readonly FieldIssue[] } {
  if (options.required.length === 0) return { config, issues: [] };
  const decision = toRequired(transportKindOf(config).sandboxOf?.(config), options);
  const issues = decision.refused.map((setting) => toIssue(setting, options));
  return { config: confine(config, decision.settings), issues };
}

function toIssue({ field, policy }: RefusedSetting, options: RequiredOptions & { readonly name: string }): FieldIssue {
  const { by, file } = policy;
  const isAsked = by === 'user' && options.source.author === 'repository';
  return {
    severity: 'warning',
    path: ['sandbox', field],
    message: `is ignored: requireSandbox in ${file} allows ${WITHOUT[field]}`,
    hint: isAsked
      ? `--approve-project-servers allows no more than that. Review the server and approve it: plugboard approve ${nameWord(options.name)}`
      : by === 'user'
        ? 'Put it into your user or local config'
        : 'Ask your administrator',
  };
}

/** What approving a repository's entry gives it beyond the policies, or does not. Empty if it asks for no more. */
export function describeAsk(config: ServerConfig, required: readonly RequiredSandbox[]): readonly string[] {
  const own = transportKindOf(config).sandboxOf?.(config);
  if (!own || required.length === 0) return [];
  const always = toRequired(own, { required, source: BROUGHT, isNamed: true });
  const { refused } = toRequired(own, { required, source: BROUGHT, isNamed: false });
  const withheld = new Map(always.refused.map(({ field, policy }) => [field, policy.file]));
  return [...new Set(refused.map(({ field }) => field))].map((field) => {
    const file = withheld.get(field);
    const what = GETS[field](own);
    return file === undefined
      ? `! requireSandbox gives no server ${what}: if you say yes, this server gets it`
      : `requireSandbox in ${file} gives this server no ${what.replace(/^the /u, '')}, whatever its entry says`;
  });
}

const WITHOUT = {
  network: 'no network',
  read: 'no server to read that',
  write: 'no server to write there',
  sockets: 'no Unix sockets',
} as const;

const GETS: Readonly<Record<RefusedSetting['field'], (settings: SandboxSettings) => string>> = {
  network: () => 'the network',
  read: ({ read = [] }) => `read access to ${read.join(', ')}`,
  write: ({ write = [] }) => `the right to write to ${write.join(', ')}`,
  sockets: () => 'Unix sockets',
};

const BROUGHT: Provenance = { author: 'repository', scope: 'project' };

function mayWiden({ by }: RequiredSandbox, { source, isNamed }: RequiredOptions): boolean {
  if (source.author === 'administrator') return true;
  if (by === 'administrator') return false;
  return !isForeignEntry(source) || (source.author === 'repository' && isNamed);
}

/** Limits the settings to what a policy gives. Writable paths are compared as real paths when the server starts. */
function narrow(settings: SandboxSettings, gives: SandboxSettings): SandboxSettings {
  const { network, read, write, sockets, writeWithin, ...rest } = settings;
  const keptRead = read?.filter((path) => gives.read?.includes(path) === true) ?? [];
  const places = gives.write ?? [];
  const within = writeWithin ? writeWithin.filter((path) => places.includes(path)) : places;
  const keptWrite = within.length > 0 ? (write ?? []) : [];
  return {
    ...rest,
    ...(network === true && gives.network === true && { network }),
    ...(keptRead.length > 0 && { read: keptRead }),
    ...(keptWrite.length > 0 && { write: keptWrite, writeWithin: within }),
    ...(sockets === true && gives.sockets === true && { sockets }),
  };
}

/** The lower limit of two, for each field. */
function limitsOf(one: SandboxSettings, other: SandboxSettings): SandboxSettings {
  const least = (field: 'memoryMb' | 'processes'): SandboxSettings => {
    const numbers = [one[field], other[field]].filter((value) => value !== undefined);
    return numbers.length === 0 ? {} : { [field]: Math.min(...numbers) };
  };
  return { ...least('memoryMb'), ...least('processes') };
}

function isLess(
  now: SandboxSettings[RefusedSetting['field']],
  before: SandboxSettings[RefusedSetting['field']],
): boolean {
  if (typeof before === 'boolean') return before && now !== true;
  return Array.isArray(before) && before.length > (Array.isArray(now) ? now.length : 0);
}
