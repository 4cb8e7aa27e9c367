/** The requests that an endpoint answers, in any era. Others are answered by the eras themselves, or unknown. */
const SERVED: ReadonlySet<string> = new Set([
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/directory/read',
  'completion/complete',
  'skills/list',
  'skills/get',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]);

/** Of the tasks of 2025-11-25; later revisions have others. */
const LEGACY_ONLY: ReadonlySet<string> = new Set(['tasks/result', 'tasks/list']);
const MODERN_ONLY: ReadonlySet<string> = new Set(['tasks/update']);

export function isServed(method: string, era: 'legacy' | 'modern'): boolean {
  if (era === 'legacy') return (SERVED.has(method) || LEGACY_ONLY.has(method)) && !MODERN_ONLY.has(method);
  return SERVED.has(method);
}
