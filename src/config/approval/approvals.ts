import { join } from 'node:path';
import { updateFile } from '../../edge/files/write-file.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ApprovedPlace } from './approved-place.js';
import type { ConfigContext } from '../context.js';
import { HostError } from '../../base/errors.js';
import { parseWhole } from '../entries/parse-whole.js';

/** What the user once said about a project's server: bound to its definition, not to its name alone. */
export interface ApprovalDecision {
  readonly decision: 'approved' | 'rejected';
  readonly hash: string;
  readonly file: string;
  /** The entry as it was then, secrets masked: what a changed one is compared with. */
  readonly entry: RawEntry;
  /** Makes the marks of its secrets worthless to anyone who guesses at them elsewhere. */
  readonly salt: string;
  readonly at: string;
  /** Where it was made. Absent: version 0.1.0 wrote it. */
  readonly place?: ApprovedPlace;
  /** Whether it said that the user's sign-in is sent there. Absent: version 0.1.0 wrote it, which did not speak of that. */
  readonly signIn?: boolean;
}

/** One project's choices, by server name. */
export type Choices = ReadonlyMap<string, readonly ApprovalDecision[]>;

export const APPROVALS_LIMIT = 16_000_000; // bytes, for all projects of a user: some 25,000 approvals
const CHOICES_LIMIT = 24; // of one name: folders may define it too, or give its words another meaning, and a branch may go back

/** Approvals live with the user's state: no file of a repository is ever asked. */
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

/** Remembers a choice; the newest of one definition in one folder replaces the older ones. */
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

/** One without a place says nothing that the new one does not say. */
function isReplaced(known: ApprovalDecision, { hash, place }: ApprovalDecision): boolean {
  return known.hash === hash && (known.place === undefined || known.place.folder === place?.folder);
}

/** Forgets every choice made in this project; tells the servers they were about. */
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
    throw new HostError('write-failed', 'Choices cannot be kept: there is no home folder', {
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
