import { join } from 'node:path';
import { updateFile } from '../../edge/files/write-file.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ApprovedPlace } from './approved-place.js';
import type { ConfigContext } from '../context.js';
import { HostError } from '../../base/errors.js';
import { parseWhole } from '../entries/parse-whole.js';

/** The user's decision about a project's server, bound to the hash of its definition, not to its name alone. */
export interface ApprovalDecision {
  readonly decision: 'approved' | 'rejected';
  readonly hash: string;
  readonly file: string;
  /** The entry at that time, secrets masked, for comparison with a changed one. */
  readonly entry: RawEntry;
  /** Salts the marks of secrets, so that a guessed secret cannot be confirmed elsewhere. */
  readonly salt: string;
  readonly at: string;
  /** Where the decision was made. Absent in records of version 0.1.0. */
  readonly place?: ApprovedPlace;
  /** Whether the user was told that a sign-in of theirs is sent there. Absent in records of version 0.1.0. */
  readonly signIn?: boolean;
}

/** The decisions of one project, by server name. */
export type Choices = ReadonlyMap<string, readonly ApprovalDecision[]>;

export const APPROVALS_LIMIT = 16_000_000; // bytes, for all projects of a user: some 25,000 approvals
const CHOICES_LIMIT = 24; // per name: folders may define it too, variables may change it, a branch may go back

/** Approvals are in the user's state folder; files of a repository are never read for them. */
export function approvalsFile({ places }: ConfigContext): string | undefined {
  return places.state === undefined ? undefined : join(places.state, 'approvals.json');
}

export function parseChoices(value: RawEntry, projectRoot: string): Choices {
  const projects = value['projects'];
  const found = isObject(projects) && Object.hasOwn(projects, projectRoot) ? projects[projectRoot] : undefined;
  const choices = new Map<string, readonly ApprovalDecision[]>();
  if (!isObject(found)) return choices;
  for (const [name, list] of Object.entries(found)) {
    if (Array.isArray(list)) choices.set(name, list.filter(isChoice));
  }
  return choices;
}

/** Remembers a decision; it replaces older ones about the same definition in the same folder. Returns the file. */
export async function rememberChoice(
  context: ConfigContext,
  server: string,
  choice: ApprovalDecision,
): Promise<string> {
  return changeChoices(context, (project) => {
    const list = Object.hasOwn(project, server) ? project[server] : undefined;
    const others = Array.isArray(list) ? list.filter((known) => isChoice(known) && !isReplaced(known, choice)) : [];
    return new Map([...Object.entries(project), [server, [choice, ...others].slice(0, CHOICES_LIMIT)]]);
  });
}

/** A decision without a place (version 0.1.0) adds nothing to a new one with the same hash. */
function isReplaced(known: ApprovalDecision, { hash, place }: ApprovalDecision): boolean {
  return known.hash === hash && (known.place === undefined || known.place.folder === place?.folder);
}

/** Forgets every decision made in this project; returns the servers that they were about. */
export async function forgetChoices(
  context: ConfigContext,
): Promise<{ readonly file: string; readonly servers: readonly string[] }> {
  let servers: string[] = [];
  const file = await changeChoices(context, (project) => {
    servers = Object.keys(project);
    return servers.length === 0 ? undefined : new Map();
  });
  return { file, servers };
}

type ChangeProject = (project: RawEntry) => ReadonlyMap<string, unknown> | undefined;

async function changeChoices(context: ConfigContext, change: ChangeProject): Promise<string> {
  const file = approvalsFile(context);
  if (file === undefined) {
    throw new HostError('write-failed', 'Your choices cannot be saved: there is no home folder', {
      hint: 'Set HOME or XDG_STATE_HOME',
    });
  }
  await updateFile(
    file,
    (text) => {
      const whole = text === undefined ? {} : parseWhole(text, file);
      const projects = isObject(whole['projects']) ? whole['projects'] : {};
      const { projectRoot } = context;
      const before = Object.hasOwn(projects, projectRoot) ? projects[projectRoot] : {};
      const after = change(isObject(before) ? before : {});
      if (!after) return undefined;
      const others = Object.entries(projects).filter(([root]) => root !== projectRoot);
      const mine: [string, unknown][] = after.size === 0 ? [] : [[projectRoot, Object.fromEntries(after)]];
      return `${JSON.stringify({ ...whole, version: 1, projects: Object.fromEntries([...others, ...mine]) }, null, 2)}\n`;
    },
    { limit: APPROVALS_LIMIT },
  );
  return file;
}

function isChoice(value: unknown): value is ApprovalDecision {
  return (
    isObject(value) &&
    (value['decision'] === 'approved' || value['decision'] === 'rejected') &&
    typeof value['hash'] === 'string' &&
    typeof value['file'] === 'string' &&
    typeof value['salt'] === 'string' &&
    isObject(value['entry']) &&
    (value['place'] === undefined || isPlace(value['place']))
  );
}

function isPlace(value: unknown): value is ApprovedPlace {
  return isObject(value) && typeof value['folder'] === 'string' && isObject(value['variables']);
}
