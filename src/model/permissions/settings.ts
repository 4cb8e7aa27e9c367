/** How much runs unasked. */
export const permissionModes = ['default', 'auto-read', 'plan', 'dont-ask', 'bypass'] as const;
export type PermissionMode = (typeof permissionModes)[number];

export const ruleLists = ['deny', 'ask', 'allow'] as const;
export type RuleList = (typeof ruleLists)[number];

/** Whose word it is; the mode of a stronger one counts, strongest first. */
export const permissionSources = ['administrator', 'flag', 'local', 'user', 'project'] as const;
export type PermissionSource = (typeof permissionSources)[number];

/** Where something is written: a file's path, or the flag that it came with. */
export interface WrittenPlace {
  readonly file: string;
  readonly line?: number;
}

/** A rule that `readRule` has found good. */
export interface WrittenRule extends WrittenPlace {
  readonly text: string;
  readonly list: RuleList;
  readonly source: PermissionSource;
}

export interface WrittenMode extends WrittenPlace {
  readonly mode: PermissionMode;
  /** For the tools of this server alone. */
  readonly server?: string;
  readonly source: PermissionSource;
}

/** Something that was to stop calls and cannot be understood: until it is mended all of them are asked about, or denied. */
export interface UnreadableSetting extends WrittenPlace {
  readonly behavior: 'ask' | 'deny';
  readonly reason: string;
}

export interface WrittenPermissions {
  readonly rules: readonly WrittenRule[];
  readonly modes: readonly WrittenMode[];
  readonly doubts: readonly UnreadableSetting[];
}

/** All that is written about what may be called, ready to be asked. */
export interface PermissionSettings extends WrittenPermissions {
  readonly lists: Readonly<Record<RuleList, RuleIndex>>;
  /** The allow rules that count for a repository's server with the name of one of the user's: see `isForTwin`. */
  readonly twinAllow: RuleIndex;
}

/** One list, by how its rules are found. Of the same rule twice the first is told. */
export interface RuleIndex {
  /** Those without a star, by their text. */
  readonly plain: ReadonlyMap<string, WrittenRule>;
  readonly globs: readonly GlobRule[];
  readonly isEmpty: boolean;
}

export interface GlobRule {
  readonly rule: WrittenRule;
  /** What stands before its first star: most names do not even begin with that. */
  readonly start: string;
}

export function toPermissions({ rules, modes, doubts }: WrittenPermissions): PermissionSettings {
  return {
    rules,
    // Of one source what is said for a server comes before what is said for all.
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
 * Whether an allow rule means the user's own server where a repository's has the same name. Rules of the user's settings hold in every
 * project, so that whoever wrote one thought of the user's server; what the local file and the command line say is said here.
 */
export function isForTwin({ text, list, source }: WrittenRule): boolean {
  return list === 'allow' && source === 'user' && text.startsWith('mcp__') && !text.startsWith('mcp__*');
}

/** The mode for a server's tools; undefined where nobody says any. */
export function modeFor(settings: PermissionSettings, subject: ModeSubject = {}): WrittenMode | undefined {
  const { server, accountOf } = subject;
  const own = ownMode(settings, subject);
  if (accountOf === undefined || server === undefined) return own;
  const other = ownMode(settings, { ...subject, server: accountOf });
  if (!own || !other) return own ?? (strictness(other) < strictness(own) ? other : undefined);
  // Whoever names the account knows better than a word for its server that is no stronger.
  const isNamed = own.server !== undefined && rank(own) <= rank(other);
  return isNamed || strictness(own) <= strictness(other) ? own : other;
}

function ownMode({ modes }: PermissionSettings, { server, hasTwin }: ModeSubject): WrittenMode | undefined {
  const found = modes.find((written) => written.server === undefined || written.server === server);
  if (hasTwin !== true || found?.server === undefined || found.source !== 'user') return found;
  const otherwise = modes.find((written) => written !== found && (!written.server || written.server === server));
  // What the user said of their own server does not loosen what holds for a repository's of that name, and may tighten it.
  return strictness(found) <= strictness(otherwise) ? found : otherwise;
}

/** Whose mode is wanted; nobody's: the one for all. */
export interface ModeSubject {
  readonly server?: string | undefined;
  readonly hasTwin?: boolean | undefined;
  /** The server is an account of that one, whose mode holds as well where it is stricter. */
  readonly accountOf?: string | undefined;
}

const STRICTEST_FIRST: readonly PermissionMode[] = ['plan', 'dont-ask', 'default', 'auto-read', 'bypass'];

function strictness(written: WrittenMode | undefined): number {
  return STRICTEST_FIRST.indexOf(written?.mode ?? 'default');
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

export const NO_PERMISSIONS: PermissionSettings = toPermissions({ rules: [], modes: [], doubts: [] });
