import { isObject } from '../../base/json.js';
import type { SandboxSettings } from '../../edge/sandbox/sandbox.js';
import { SANDBOX_FIELDS } from '../entry-fields.js';
import { type Fields, readerOf, reportUnknown } from '../fields.js';
import type { FieldIssue } from '../kind.js';

const readSandbox = readerOf(SANDBOX_FIELDS);

/** Reads `sandbox` of an entry, or `requireSandbox` of a policy. Undefined when no sandbox is asked for. */
export function parseSandbox(
  value: unknown,
  report: (issue: FieldIssue) => void,
  field: string,
): true | SandboxSettings | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  if (!isObject(value)) {
    report({ severity: 'error', path: [field], message: 'expected true or an object' });
    return undefined;
  }
  const fields: Fields = { raw: value, report, base: [field] };
  // An error, not a warning: a misspelt limit would make the sandbox weaker than intended.
  reportUnknown(value, Object.keys(SANDBOX_FIELDS), (issue) => report({ ...issue, severity: 'error' }), [field]);
  for (const name of ['read', 'write']) checkNul(value[name], (index) => nul(field, name, index), report);
  return readSandbox(fields);
}

function nul(...path: (string | number)[]): FieldIssue {
  return { severity: 'error', path, message: 'holds a NUL character' };
}

/** No operating system accepts a NUL in a path. */
function checkNul(list: unknown, toIssue: (index: number) => FieldIssue, report: (issue: FieldIssue) => void): void {
  if (!Array.isArray(list)) return;
  list.forEach((path: unknown, index) => {
    if (typeof path === 'string' && path.includes('\0')) report(toIssue(index));
  });
}
