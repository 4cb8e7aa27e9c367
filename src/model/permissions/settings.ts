/** How much runs without a question. */
export const permissionModes = ['default', 'auto-read', 'plan', 'dont-ask', 'bypass'] as const;
/** What is done about calls that no rule decides. */
export type PermissionMode = (typeof permissionModes)[number];

/** The lists of permission rules, strongest first. */
export const ruleLists = ['deny', 'ask', 'allow'] as const;
/** The lists of permission rules. */
export type RuleList = (typeof ruleLists)[number];

/** Where settings come from, strongest first: the mode of the strongest source counts. */
export const permissionSources = ['administrator', 'flag', 'local', 'user', 'project'] as const;
/** Where a permission setting is from, strongest first. */
export type PermissionSource = (typeof permissionSources)[number];

/** Where a setting is written: a file's path, or the flag that contains it. */
export interface WrittenPlace {
  /** An absolute path, or a flag or option such as `--deny`. */
  readonly file: string;
  /** Counted from 1; absent for a flag, and where it is unknown. */
  readonly line?: number;
}

/** A rule that `readRule` has accepted. */
export interface WrittenRule extends WrittenPlace {
  /** As written: `mcp__docs__search`, `mcp__docs`, `mcp__*__delete_*`. */
  readonly text: string;
  /** Which list the rule is in: what it decides. */
  readonly list: RuleList;
  /** Whose settings contain it. */
  readonly source: PermissionSource;
}

/** A permission mode, and where it is written. */
export interface WrittenMode extends WrittenPlace {
  /** What is done about calls that no rule decides. */
  readonly mode: PermissionMode;
  /** The server whose tools the mode is for; undefined: all. */
  readonly server?: string;
  /** Whose settings contain it: the strongest counts. */
  readonly source: PermissionSource;
}

/** A setting that was to stop calls and cannot be read: until it is corrected, every call is asked about, or denied. */
export interface UnreadableSetting extends WrittenPlace {
  /** What happens to every call until the setting is corrected. */
  readonly behavior: 'ask' | 'deny';
  /** What is wrong with it. */
  readonly reason: string;
}

/** The permission settings of all files. */
export interface WrittenPermissions {
  /** Of all files and flags. */
  readonly rules: readonly WrittenRule[];
  /** In `PermissionSettings` the first that fits a server counts. */
  readonly modes: readonly WrittenMode[];
  /** Empty when every setting could be read. */
  readonly doubts: readonly UnreadableSetting[];
}

/** All permission settings, indexed for `decide`. */
export interface PermissionSettings extends WrittenPermissions {
  /** The rules again, by list, for quick comparison. */
  readonly lists: Readonly<Record<RuleList, RuleIndex>>;
  /** The allow rules for a repository's server that has the name of one of the user's servers: see `isForTwin`. */
  readonly twinAllow: RuleIndex;
}

/** One list of rules, indexed. Of duplicate rules the first is reported. */
export interface RuleIndex {
  /** The rules without a star, by their text. */
  readonly plain: ReadonlyMap<string, WrittenRule>;
  /** The rules with stars, in the order in which they are written. */
  readonly globs: readonly GlobRule[];
  /** True where no rule has to be compared. */
  readonly isEmpty: boolean;
}

/** A rule with stars in it, ready to be compared. */
export interface GlobRule {
  /** The rule as it is written. */
  readonly rule: WrittenRule;
  /** The text before the first star: a quick test that most names fail. */
  readonly start: string;
}

export function toPermissions({ rules, modes, doubts }: WrittenPermissions): PermissionSettings {
  return {
    rules,
    // Within one source, a mode for one server comes before the mode for all.
    modes: modes.toSorted(
      (a, b) => rank(a) - rank(b) || Number(a.server === undefined) - Number(b.server === undefined),
    ),
    doubts: doubts.toSorted((a, b) => Number(a.behavior === 'ask') - Number(b.behavior === 'ask')),
    lists: { deny: toIndex(rules, 'deny'), ask: toIndex(rules, 'ask'), allow: toIndex(rules, 'allow') },
    twinAllow: toIndex(
      rules.filter((rule) => !isForTwin(rule)),
      'allow',
    ),
  };
}

/**
 * Whether an allow rule means the user's own server where a repository's has the same name. User settings hold in every
 * project, so their author meant the user's server; local settings and flags are written for this project.
 */
export function isForTwin({ text, list, source }: WrittenRule): boolean {
  return list === 'allow' && source === 'user' && text.startsWith('mcp__') && !text.startsWith('mcp__*');
}

/** The mode for a server's tools; undefined when no setting names one. */
export function modeFor(settings: PermissionSettings, subject: ModeSubject = {}): WrittenMode | undefined {
  const { server, accountOf } = subject;
  const own = ownMode(settings, subject);
  if (accountOf === undefined || server === undefined) return own;
  const other = ownMode(settings, { ...subject, server: accountOf });
  if (!own || !other) return own ?? (strictness(other) < strictness(own) ? other : undefined);
  // A mode that names the account beats one of an equal or weaker source for the account's server.
  const isNamed = own.server !== undefined && rank(own) <= rank(other);
  return isNamed || strictness(own) <= strictness(other) ? own : other;
}

function ownMode({ modes }: PermissionSettings, { server, hasTwin }: ModeSubject): WrittenMode | undefined {
  const found = modes.find((written) => written.server === undefined || written.server === server);
  if (hasTwin !== true || found?.server === undefined || found.source !== 'user') return found;
  const otherwise = modes.find((written) => written !== found && (!written.server || written.server === server));
  // A user's mode for their own server may tighten, never loosen, the mode of a repository's server of this name.
  return strictness(found) <= strictness(otherwise) ? found : otherwise;
}

/** The server whose mode is wanted; without `server` the mode for all. */
export interface ModeSubject {
  readonly server?: string | undefined;
  readonly hasTwin?: boolean | undefined;
  /** The server that `server` is an account of. Its mode holds where it is stricter. */
  readonly accountOf?: string | undefined;
}

const STRICTEST_FIRST: readonly PermissionMode[] = ['plan', 'dont-ask', 'default', 'auto-read', 'bypass'];

function strictness(written: WrittenMode | undefined): number {
  return STRICTEST_FIRST.indexOf(written?.mode ?? 'default');
}

/** Whether the one mode runs more without a question than the other. */
export function isWider(one: PermissionMode, other: PermissionMode): boolean {
  return STRICTEST_FIRST.indexOf(one) > STRICTEST_FIRST.indexOf(other);
}

function rank({ source }: { readonly source: PermissionSource }): number {
  return permissionSources.indexOf(source);
}

function toIndex(rules: readonly WrittenRule[], list: RuleList): RuleIndex {
  const plain = new Map<string, WrittenRule>();
  const globs: GlobRule[] = [];
  for (const rule of rules) {
    if (rule.list !== list) continue;
    const star = rule.text.indexOf('*');
    if (star !== -1) globs.push({ rule, start: rule.text.slice(0, star) });
    else if (!plain.has(rule.text)) plain.set(rule.text, rule);
  }
  return { plain, globs, isEmpty: plain.size === 0 && globs.length === 0 };
}

/** Where a rule or mode is from that a program has chosen while its session runs. */
export const OF_THE_PROGRAM = 'the program that drives this session';

export const NO_PERMISSIONS: PermissionSettings = toPermissions({ rules: [], modes: [], doubts: [] });
