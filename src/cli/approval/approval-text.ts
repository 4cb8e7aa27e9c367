import type { ApprovalRequest } from '../../actions/told.js';
import { placeText } from '../../model/permissions/decision.js';
import { showExact, showLine } from '../../model/show.js';
import { hangingRows, ownRows } from '../session/display/quoted-rows.js';

/**
 * What the user approves, in full: one argument to a line, quoted so that no text of the repository can look like a
 * line of Plugboard's. Plugboard's own lines come last, each marked `=>`.
 */
export function describeRequest(request: ApprovalRequest): string[] {
  const on = request.beforeAt === undefined ? '' : ` on ${request.beforeAt}`;
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
        return `! ${what} of ${placeText(allowed)} lets its tools run without asking you`;
      }),
      ...(request.sandbox ?? []),
      ...(request.changes
        ? [`changed since it was ${request.before}${on}:`, ...request.changes.map((change) => `  ${change}`)]
        : []),
      `definition ${request.hash.slice(0, 16)}`,
    ].map((line) => `${OURS}${showLine(line)}`),
  ];
}

/** The same for a screen: each row of the entry begins with a bar, also where it is wrapped. */
export function requestRows(request: ApprovalRequest, columns: number): string[] {
  const [heading = '', ...lines] = describeRequest(request);
  return [
    ...ownRows(heading, columns),
    ...lines.flatMap((line) => (line.startsWith(OURS) ? ownRows(line, columns, 3) : hangingRows(line, columns))),
  ];
}

const OURS = '=> '; // cannot be forged: lines of an entry are indented

/** Warns of a server name that the user already has: a hostile repository would choose a name that the user trusts. */
function namesakeLines({ server, shadows, namesakes }: ApprovalRequest): string[] {
  if (shadows.length + namesakes.length === 0) return [];
  return [
    ...shadows.map((twin) => `! replaces ${twinText(twin)}, which then does not run here`),
    ...namesakes.map((twin) => `! has the same name as ${twinText(twin)}`),
    `what your user settings allow for ${showExact(server)} applies only to your own server`,
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
