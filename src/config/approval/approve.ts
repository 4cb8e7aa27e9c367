import { parseUrl } from '../../base/parse-url.js';
import { MASK } from '../../base/secret.js';
import { canonicalOrigin } from '../../model/urls/canonical-url.js';
import { isObject } from '../../base/json.js';
import { allowingRules } from '../../model/permissions/allowing-rules.js';
import type { PermissionMode, PermissionSettings, WrittenPlace } from '../../model/permissions/settings.js';
import { serverTargetOf } from '../../transports/kinds.js';
import type { RawEntry } from '../../transports/kind.js';
import { approvalsFile, type ApprovalDecision, rememberChoice } from './approvals.js';
import type { EntryMeaning, NamedFile } from './approved-place.js';
import type { ConfigContext } from '../context.js';
import { variablesOf } from '../entries/expand-entry.js';
import { digest } from '../../edge/files/digest.js';
import { randomUUID } from '../../edge/random-hex.js';
import { scanJson } from '../edit/json-scan.js';
import { maskEntry } from '../edit/mask.js';
import { risksOf } from '../risks/risks.js';
import type { ConfiguredServer } from '../entries/server.js';
import { shadowedTwins, type Twin } from '../entries/twins.js';

/** Everything that the user must see before a project's server may run. */
export interface ApprovalRequest {
  readonly server: string;
  readonly file: string;
  readonly hash: string;
  /** The entry as written; only client secrets (`oauth`) are masked. */
  readonly entry: RawEntry;
  /** The program that would be started. Absent for a URL, or when no such program is installed. */
  readonly commandPath?: string;
  /** The arguments that are files, with their paths: a relative path is another file in another folder. */
  readonly files: readonly NamedFile[];
  /** The origin of its URL in canonical form, which exposes look-alike letters. */
  readonly connectsTo?: string;
  /** The URL of the user's existing sign-in, made through another entry, that would be sent to this server. */
  readonly signIn?: string;
  /** Variables of this machine that would reach the server, each with the field that uses it. */
  readonly variables: readonly { readonly variable: string; readonly field: string }[];
  readonly risks: readonly string[];
  /** The user's servers of the same name, which this one would replace. */
  readonly shadows: readonly Twin[];
  /** The user's other servers whose name is the same, or becomes the same in a tool's name. */
  readonly namesakes: readonly Twin[];
  /** The rules and modes that would let its tools run without a question. */
  readonly allowedBy: readonly AllowedBy[];
  /** If a policy requires a sandbox: what an approval lets this server do beyond it, in sentences. */
  readonly sandbox?: readonly string[];
  /** The decision about an earlier definition; `changes`: how this one differs from it. */
  readonly before?: 'approved' | 'rejected';
  /** When that was, as an ISO date. */
  readonly beforeAt?: string;
  readonly changes?: readonly string[];
}

export type AllowedBy = WrittenPlace & ({ readonly rule: string } | { readonly mode: PermissionMode });

/**
 * `permissions`: the settings that would apply to its tools. `signIn`: the URL that the user is already signed in to
 * through another entry.
 */
export function toApprovalRequest(
  server: ConfiguredServer,
  permissions: PermissionSettings,
  signIn?: string,
): ApprovalRequest | undefined {
  const { standing, written, approval } = server;
  if (!written || !approval) return undefined;
  const { previous, otherFile } = standing.kind === 'unapproved' ? standing : {};
  return {
    server: judgedName(server),
    file: server.origin,
    hash: approval.hash,
    entry: toJudge(written),
    ...connectsTo(server),
    ...(approval.commandPath !== undefined && { commandPath: approval.commandPath }),
    files: approval.place.files(),
    ...(signIn !== undefined && { signIn }),
    variables: variablesOf(written),
    risks: allRisks(written, approval.place),
    shadows: shadowedTwins(server),
    namesakes: (server.twins ?? []).filter((twin) => !shadowedTwins(server).includes(twin)),
    allowedBy: allowedBy(server, permissions),
    ...(approval.sandbox && { sandbox: approval.sandbox }),
    ...(previous && {
      before: previous.decision,
      ...(ISO.test(previous.at) && { beforeAt: previous.at.slice(0, 10) }),
      changes: otherFile
        ? [tellOther(otherFile, previous)]
        : compareEntries(previous.entry, rememberedEntry(written, previous.salt)),
    }),
  };
}

/**
 * The risks of the entry as written, as expanded here, and with every default: `${Y:--c}` is a `-c`. A variable's value
 * may be a secret, so it is shown as the variable's name.
 */
function allRisks(written: RawEntry, place: EntryMeaning): readonly string[] {
  const files = place.files().map(({ path }) => path);
  const filledIn = place.readings().flatMap(({ entry, filled }) => {
    if (entry === written) return [];
    const long = filled.filter(({ value }) => value.length >= SECRET_LENGTH);
    return risksOf(entry, files).map((risk) =>
      long.reduce((text, { variable, value }) => text.replaceAll(value, () => `\${${variable}}`), risk),
    );
  });
  return [...new Set([...risksOf(written, files), ...filledIn])];
}

const ISO = /^\d{4}-\d\d-\d\dT/u;
const SECRET_LENGTH = 6; // characters; a shorter value is a word such as `sh` or `-c`, no secret

function tellOther({ word, path }: NamedFile, { place }: ApprovalDecision): string {
  return place
    ? `${word} is ${path} here, and was another file, or none, in ${place.folder}`
    : `${word} is ${path}: version 0.1.0 did not record which file it was`;
}

function allowedBy(server: ConfiguredServer, permissions: PermissionSettings): readonly AllowedBy[] {
  const { author, twins } = server;
  const found = allowingRules(permissions, { server: judgedName(server), author, hasTwin: twins !== undefined });
  return found.map((one) => {
    const { file, line } = 'rule' in one ? one.rule : one.mode;
    const place = { file, ...(line !== undefined && { line }) };
    return 'rule' in one ? { rule: one.rule.text, ...place } : { mode: one.mode.mode, ...place };
  });
}

/** The name that is approved: an account runs when its server may. */
function judgedName({ name, accountOf }: ConfiguredServer): string {
  return accountOf ?? name;
}

function connectsTo({ config }: ConfiguredServer): Pick<ApprovalRequest, 'connectsTo'> {
  const target = config && serverTargetOf(config);
  const url = target?.kind === 'url' ? parseUrl(target.proxyUrl ?? target.url) : undefined;
  return url ? { connectsTo: canonicalOrigin(url) } : {};
}

export interface RecordApprovalOptions {
  readonly decision: 'approved' | 'rejected';
  readonly now: Date;
  readonly dryRun?: boolean;
  /** Whether the user was told that a sign-in of theirs is sent there. */
  readonly signIn?: boolean;
}

/** Remembers the user's decision about exactly this definition. Returns the file. */
export async function choose(
  context: ConfigContext,
  server: ConfiguredServer,
  options: RecordApprovalOptions,
): Promise<string> {
  if (options.dryRun === true) return approvalsFile(context) ?? '';
  const salt = randomUUID();
  return rememberChoice(context, judgedName(server), {
    decision: options.decision,
    hash: server.approval!.hash,
    file: server.origin,
    entry: rememberedEntry(server.written!, salt),
    salt,
    at: options.now.toISOString(),
    place: server.approval!.place.toPlace(salt),
    signIn: options.signIn === true,
  });
}

/**
 * The entry as the user must judge it, unmasked: a repository's text is no secret of the user's, and an attack could
 * hide behind a mask in a command or header. Client secrets are masked: they go only to their issuer.
 */
function toJudge(written: RawEntry): RawEntry {
  return written['oauth'] === undefined ? written : { ...written, oauth: maskEntry(written)['oauth'] };
}

/** The entry masked, with a salted mark after each mask, so that a changed secret still shows as a change. */
function rememberedEntry(written: RawEntry, salt: string): RawEntry {
  // Only for comparison, since the hash decides; one huge entry must not fill the file of all approvals.
  if (JSON.stringify(written).length > REMEMBERED_LIMIT || scanJson(JSON.stringify(written)).depth > REMEMBERED_DEPTH)
    return {};
  return markSecrets(written, maskEntry(written), salt) as RawEntry;
}

const REMEMBERED_LIMIT = 16_384; // characters; entries have some hundreds
const REMEMBERED_DEPTH = 16;

function markSecrets(written: unknown, masked: unknown, salt: string): unknown {
  if (typeof masked === 'string') {
    return masked.includes(MASK) ? `${masked}${MARK}${digest(`${salt}${String(written)}`).slice(0, 8)}` : masked;
  }
  if (Array.isArray(masked))
    return masked.map((element, index) => markSecrets((written as unknown[])[index], element, salt));
  if (!isObject(masked)) return masked;
  const fields = Object.entries(masked);
  return Object.fromEntries(fields.map(([key, value]) => [key, markSecrets((written as RawEntry)[key], value, salt)]));
}

const MARK = ' #';

function compareEntries(before: RawEntry, after: RawEntry): string[] {
  if (Object.keys(before).length === 0 || Object.keys(after).length === 0) {
    return ['the entry is too large to compare with the earlier one; read all of it'];
  }
  const old = flatten(before);
  const now = flatten(after);
  const changes: string[] = [];
  for (const [field, value] of now) {
    const was = old.get(field);
    if (was === undefined) changes.push(`+ ${field}: ${withoutMark(value)}`);
    else if (was !== value) changes.push(`- ${field}: ${withoutMark(was)}`, `+ ${field}: ${withoutMark(value)}`);
  }
  for (const [field, value] of old) if (!now.has(field)) changes.push(`- ${field}: ${withoutMark(value)}`);
  // The text is the same, but the approved hash includes the path of the command, which has changed.
  return changes.length === 0 ? ['its command now leads to another program'] : changes;
}

function withoutMark(value: string): string {
  return value.replace(/ #[0-9a-f]{8}(?="?$)/u, '');
}

function flatten(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  const inner = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : undefined;
  if (!inner) return into.set(path, JSON.stringify(value));
  for (const [key, child] of inner) {
    flatten(child, typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, into);
  }
  return into;
}
