import { join } from 'node:path';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { JsonDocument, JsonPath } from '../document.js';
import { closedPolicy, listNames, parsePolicy, type Policy, policyNames, REQUIRE_SANDBOX } from './policy.js';
import type { Problem } from '../problem.js';
import { placeFields } from '../text-place.js';
import { findLock, readManaged } from '../scopes/enterprise.js';
import type { ScopeReader } from '../scope.js';

/** The lists of managed-settings.json and managed-mcp.json. An unreadable file denies every server. */
export async function readManagedPolicies(
  reader: Pick<ScopeReader, 'context' | 'read'>,
): Promise<{ policies: readonly Policy[]; problems: readonly Problem[] }> {
  const policies: Policy[] = [];
  const problems: Problem[] = [];
  const lock = await findLock(reader);
  const files = reader.context.places.managed.map((folder) => join(folder, 'managed-settings.json'));
  for (const file of lock ? [lock.file, ...files] : files) {
    const reading = await readManaged(file, reader);
    if (reading.kind === 'absent') continue;
    if (reading.kind === 'broken') {
      const message = `${reading.problem.message}; no server may run until the file is fixed`;
      policies.push(closedPolicy(file, { reason: `${file}: ${message}` }));
      problems.push({ ...reading.problem, code: 'policy-closed', message, hint: 'Ask your administrator to fix it' });
      continue;
    }
    const policy = parseManagedPolicy(reading.document.value, { file, problems: reading.problems });
    problems.push(...reading.problems);
    policies.push(policy);
    if (policy.closed) problems.push(await closedProblem(reading.document, policy.closed, []));
  }
  return { policies, problems };
}

/** Whether a key looks like a list of servers in any spelling: `blocked_servers`, `mcp-allow-list`. */
function looksLikeList(key: string, value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const words = key
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u);
  const has = (...wanted: readonly string[]): boolean => words.some((word) => wanted.includes(word));
  const sides = ['deny', 'denied', 'allow', 'allowed', 'block', 'blocked', 'ban', 'banned'];
  return (
    has('denylist', 'allowlist', 'blocklist', 'blacklist', 'whitelist') ||
    (has(...sides) && has('mcp', 'server', 'servers', 'list'))
  );
}

/** Keys whose first value would silently be lost in a duplicate. */
const policyKeys = [...policyNames, 'serverName', 'serverCommand', 'serverUrl'];

/** Keys below which administrators may misplace the lists, which belong at the top. */
const misplacements = ['settings', 'permissions', 'policy', 'policies', 'mcp'];

/** A misplaced or misspelt list denies every server: otherwise it would silently stop none. */
function parseManagedPolicy(
  value: RawEntry,
  { file, problems }: { readonly file: string; readonly problems: readonly Problem[] },
): Policy {
  const twice = problems.find(({ code, field }) => code === 'duplicate-key' && policyKeys.includes(field ?? ''));
  if (twice)
    return closedPolicy(file, {
      field: twice.field!,
      reason: `${file} has "${twice.field}" twice, so no server may run until the file is fixed`,
    });
  const wrong = Object.entries(value).flatMap(([key, inner]) => {
    if (looksLikeList(key, inner)) return listNames.includes(key) ? [] : [key];
    if (!isObject(inner) || !misplacements.includes(key)) return [];
    return Object.keys(inner)
      .filter((name) => looksLikeList(name, inner[name]) || name === REQUIRE_SANDBOX)
      .map((name) => `${key}.${name}`);
  });
  const [field] = wrong;
  if (field === undefined) return parsePolicy(value, { file, by: 'administrator' });
  const right = field.endsWith(REQUIRE_SANDBOX) ? `write ${REQUIRE_SANDBOX}` : `write ${listNames.join(' and ')}`;
  const reason = `${file} has "${field}", which Plugboard does not read; ${right} at the top`;
  return closedPolicy(file, { reason });
}

/** The problem of a policy that lets nothing run, with the line to repair. */
export async function closedProblem(
  document: JsonDocument,
  { reason, field }: NonNullable<Policy['closed']>,
  base: JsonPath,
): Promise<Problem> {
  const place = field === undefined ? undefined : await document.placeOf([...base, field]);
  return {
    severity: 'error',
    code: 'policy-closed',
    file: document.file,
    ...placeFields(place),
    ...(field !== undefined && { field }),
    message: reason,
    hint:
      field === REQUIRE_SANDBOX
        ? `Write "${REQUIRE_SANDBOX}": true, or remove the field`
        : 'Use { "serverName": "..." }, { "serverCommand": ["..."] } or { "serverUrl": "..." }',
  };
}
