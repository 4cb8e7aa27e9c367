import type { ApprovalRequest } from '../../actions/told.js';
import { placeText } from '../../model/permissions/decision.js';
import { showExact, showLine } from '../../model/show.js';

/**
 * Everything that a yes would mean, a tired reader included: each argument on a line of its own and in full, quoted so
 * that nothing in it can pass for a line of ours; what we say ourselves comes last and is marked.
 */
export function describeRequest(request: ApprovalRequest): string[] {
  return [
    `Server ${showExact(request.server)} of ${showLine(request.file)}`,
    ...describeValue(request.entry, '  '),
    ...[
      ...(request.commandPath === undefined ? [] : [`starts ${request.commandPath}`]),
      ...request.files.map(({ word, path }) => `its argument ${showExact(word)} is ${path}`),
      ...(request.connectsTo === undefined ? [] : [`connects to ${request.connectsTo}`]),
      ...(request.signIn === undefined ? [] : [`! your sign-in to ${request.signIn} is sent there`]),
      ...request.variables.map(({ variable, field }) => `gets ${variable} of your environment, in ${field}`),
      ...request.risks.map((risk) => `! ${risk}`),
      ...namesakeLines(request),
      ...request.allowedBy.map((allowed) => {
        const what = 'rule' in allowed ? `rule "${allowed.rule}" in allow` : `mode ${allowed.mode}`;
        return `! ${what} of ${placeText(allowed)} lets its tools run unasked`;
      }),
      ...(request.sandbox ?? []),
      ...(request.changes
        ? [`changed since it was ${request.before}:`, ...request.changes.map((change) => `  ${change}`)]
        : []),
      `definition ${request.hash.slice(0, 16)}`,
    ].map((line) => `=> ${showLine(line)}`),
  ];
}

/** A name that the user knows is what a repository would choose. */
function namesakeLines({ server, shadows, namesakes }: ApprovalRequest): string[] {
  if (shadows.length + namesakes.length === 0) return [];
  return [
    ...shadows.map((twin) => `! takes the name of ${twinText(twin)}, which does not run here then`),
    ...namesakes.map((twin) => `! has the name of ${twinText(twin)}`),
    `what your user settings allow by the name ${showExact(server)} stays with your server`,
  ];
}

function twinText({ name, scope, origin }: ApprovalRequest['shadows'][number]): string {
  return `your server ${showExact(name)} of ${origin} (${scope})`;
}

function describeValue(value: object, indent: string): string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const name = Array.isArray(value) ? '-' : `${showExact(key)}:`;
    if (inner === null || typeof inner !== 'object') return [`${indent}${name} ${showExact(inner)}`];
    return [`${indent}${name}`, ...describeValue(inner, `${indent}  `)];
  });
}
