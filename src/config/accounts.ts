import { join } from 'node:path';
import { HostError } from '../base/errors.js';
import { isObject, parseJson } from '../base/json.js';
import { nameWord } from '../base/shell-word.js';
import { shorten } from '../base/shorten.js';
import { updateFile } from '../edge/files/write-file.js';
import { serverTargetOf } from '../transports/kinds.js';
import type { ConfigContext } from './context.js';
import { isForeignEntry } from './entries/foreign.js';
import type { DocumentReading } from './document.js';
import type { StandingRules } from './standing.js';
import { decidePolicy } from './policy/policy.js';
import type { Problem } from './problem.js';
import type { ConfiguredServer, Standing } from './entries/server.js';

/** The accounts of each server, by the name of the server. */
export type Accounts = ReadonlyMap<string, readonly string[]>;

/** The account `work` of `github@work`, which is a server of its own with the entry of `github`; else ''. */
export function accountName(server: string): string {
  return splitAccount(server)?.account ?? '';
}

/** Undefined when the name has no account in it. */
export function splitAccount(name: string): { readonly server: string; readonly account: string } | undefined {
  const at = name.lastIndexOf('@');
  const account = name.slice(at + 1);
  return at > 0 && ACCOUNT.test(account) ? { server: name.slice(0, at), account } : undefined;
}

/** The accounts that the user has signed in with. A broken file counts as empty and is reported as a problem. */
export async function readAccounts(
  context: ConfigContext,
  read: (file: string, options?: { readonly limit?: number }) => Promise<DocumentReading>,
  problems: Problem[],
): Promise<Accounts> {
  const file = accountsFile(context);
  const reading = file === undefined ? undefined : await read(file, { limit: FILE_LIMIT });
  if (reading?.kind === 'broken') {
    const hint = `Remove ${file}, and sign in again as each account`;
    problems.push({ ...reading.problem, severity: 'warning', hint });
  }
  return reading?.kind === 'document' ? toAccounts(reading.document.value) : new Map();
}

/** The settings that can name an account: disabled servers and policies. */
export type AccountJudge = Pick<StandingRules, 'disabled' | 'policies'>;

/**
 * Adds each account as a server beside its own, unless the user has configured a server of that name. An entry of any
 * other author never takes an account's place: rules that name the account were written for what the user signed in to.
 */
export function withAccounts(
  servers: readonly ConfiguredServer[],
  accounts: Accounts,
  judge: AccountJudge,
): readonly ConfiguredServer[] {
  if (accounts.size === 0) return servers;
  const taken = new Set(servers.filter(takesPlace).map(({ name }) => name));
  const all = servers.flatMap((server) => {
    const derived = (accounts.get(server.name) ?? [])
      .map((account) => `${server.name}@${account}`)
      .filter((name) => !taken.has(name));
    return [
      server,
      ...derived.map((name): ConfiguredServer => {
        return { ...server, name, accountOf: server.name, standing: toStanding(name, server, judge) };
      }),
    ];
  });
  const kept = new Map(all.filter((one) => one.accountOf !== undefined && runs(one)).map((one) => [one.name, one]));
  return all.map((server) => {
    const account = server.accountOf === undefined && runs(server) ? kept.get(server.name) : undefined;
    if (!account) return server;
    const { name, scope } = account;
    return { ...server, standing: { kind: 'suppressed', how: 'shadowed', by: { name, scope } } };
  });
}

/** The user's own entries take a name if they run, or would run but for another entry; entries of others never do. */
function takesPlace(server: ConfiguredServer): boolean {
  return !isForeignEntry(server) && (runs(server) || server.standing.kind === 'suppressed');
}

/** Whether the server runs, or would if it were not disabled. */
function runs({ standing }: ConfiguredServer): boolean {
  return standing.kind === 'ready' || standing.kind === 'disabled';
}

/** The standing of an account: that of its server, unless a deny list or the user names the account itself. */
function toStanding(name: string, { standing, config }: ConfiguredServer, judge: AccountJudge): Standing {
  if (standing.kind !== 'ready' || !config) return standing;
  const verdict = decidePolicy(judge.policies, { name, target: serverTargetOf(config) });
  if (verdict.kind === 'denied' && verdict.by === 'deny-list') return verdict;
  return judge.disabled.has(name) ? { kind: 'disabled', by: 'user' } : standing;
}

/** Rejects with `usage` for an invalid account name and for more than 20 accounts. */
export async function addAccount(context: ConfigContext, server: string, account: string): Promise<void> {
  if (!ACCOUNT.test(account)) {
    throw new HostError('usage', `${JSON.stringify(shorten(account, 80))} is not a valid account name`, {
      hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores',
    });
  }
  await change(context, server, (known) => {
    if (known.includes(account)) return known;
    if (known.length < ACCOUNTS_EACH) return [...known, account];
    throw new HostError('usage', `Server "${server}" has ${known.length} accounts; the limit is ${ACCOUNTS_EACH}`, {
      hint: `Remove one: plugboard logout ${nameWord(`${server}@${known[0]}`)}`,
    });
  });
}

export async function removeAccount(context: ConfigContext, server: string, account: string): Promise<void> {
  await change(context, server, (known) => known.filter((one) => one !== account));
}

async function change(
  context: ConfigContext,
  server: string,
  edit: (known: readonly string[]) => readonly string[],
): Promise<void> {
  const file = accountsFile(context);
  if (file === undefined) return;
  await updateFile(file, (text) => {
    const accounts = new Map(toAccounts(parseJson(text ?? '')));
    const after = edit(accounts.get(server) ?? []);
    if (after.length === 0) accounts.delete(server);
    else accounts.set(server, after);
    return `${JSON.stringify(Object.fromEntries(accounts), null, 2)}\n`;
  });
}

function accountsFile({ places }: ConfigContext): string | undefined {
  return places.state === undefined ? undefined : join(places.state, 'accounts.json');
}

/** Ignores what it does not understand. */
function toAccounts(value: unknown): Accounts {
  if (!isObject(value)) return new Map();
  const accounts = new Map<string, readonly string[]>();
  for (const [server, list] of Object.entries(value).slice(0, SERVERS)) {
    const names = Array.isArray(list) ? list.filter((one) => typeof one === 'string' && ACCOUNT.test(one)) : [];
    if (names.length > 0) accounts.set(server, [...new Set(names as string[])].slice(0, ACCOUNTS_EACH));
  }
  return accounts;
}

const ACCOUNT = /^[A-Za-z0-9._-]{1,64}$/;
const FILE_LIMIT = 262_144;
const SERVERS = 1_000;
const ACCOUNTS_EACH = 20; // each account is a connection of its own
