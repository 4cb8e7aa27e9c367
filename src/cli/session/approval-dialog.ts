import { HostError } from '../../base/errors.js';
import { choose, toApprovalRequest } from '../../config/approve.js';
import type { ConfigContext } from '../../config/context.js';
import { type LoadedConfig, loadConfig } from '../../config/load.js';
import type { ConfiguredServer } from '../../config/server.js';
import { describeRequest } from '../approval-text.js';
import { sharedSignIn } from '../../host/shared-sign-in.js';
import { homePath } from '../home-path.js';
import { showExact } from '../../model/show.js';
import type { Screen } from '../terminal/screen.js';
import { failureRows } from './failure.js';
import { foreignRows, ownRows } from './foreign-rows.js';

export interface ApprovalParts {
  readonly screen: Screen;
  readonly config: ConfigContext;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
}

/** Servers of this project's files that nobody was asked about, or that have changed since. */
export function waitingServers(servers: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  // An account waits with its server, and not besides.
  return servers.filter(
    ({ standing, accountOf }) => standing.kind === 'unapproved' && !standing.rejected && accountOf === undefined,
  );
}

/** Asks about one after the other. What is answered is kept at once, and a host that watches its files obeys. Never rejects. */
export async function askApprovals(servers: readonly ConfiguredServer[], parts: ApprovalParts): Promise<void> {
  const { screen } = parts;
  for (const [at, server] of servers.entries()) {
    const left = servers.length - at - 1;
    const answer = await askOne(server, left, parts).catch((cause: unknown) => {
      if (!(cause instanceof HostError) || cause.code !== 'cancelled')
        screen.print(failureRows(cause, screen).join('\n'));
      return 'later' as const;
    });
    if (answer === 'later') {
      screen.print(screen.style.dim(laterText(left + 1)));
      return;
    }
  }
}

function laterText(count: number): string {
  return count === 1 ? 'It waits: /mcp approve asks again.' : `${count} servers wait: /mcp approve asks again.`;
}

/** Rejects with `cancelled` when somebody leaves. */
async function askOne(
  found: ConfiguredServer,
  left: number,
  { screen, config, now, signal }: ApprovalParts,
): Promise<'answered' | 'skipped' | 'later'> {
  // Somebody may have sat at the one before for long.
  const { server, permissions } = await asItIs(found, config);
  const request = server && toApprovalRequest(server, permissions, sharedSignIn(server, config));
  const isAnswered = found.standing.kind === 'unapproved' && server?.standing.kind !== 'unapproved';
  if (!server || !request || isAnswered) return 'skipped';
  const { style, columns } = screen;
  const [heading = '', ...lines] = describeRequest(request);
  screen.print(
    [
      '',
      ...ownRows('A server of this project wants to run. Look at it before you let it:', columns).map(style.bold),
      ...ownRows(heading, columns),
      ...lines.flatMap((line) => (line.startsWith(OURS) ? ownRows(line, columns, 3) : foreignRows(line, columns))),
    ].join('\n'),
  );
  const choices = [
    '  y  let it run, as long as it is exactly this',
    '  n  remember that it may not',
    '  s  skip: ask again the next time',
    ...(left > 0 ? [`  l  later: skip this and ${left} more`] : []),
  ];
  const rows = [...choices.flatMap((row) => ownRows(row, columns, 5)), left > 0 ? 'y/n/s/l: ' : 'y/n/s: '];
  const keys = { y: 'approved', n: 'rejected', s: 'skip', ...(left > 0 && { l: 'later' as const }) } as const;
  const choice = await screen.choose<'approved' | 'rejected' | 'skip' | 'later'>(rows, { keys, signal });
  if (choice === 'later') return 'later';
  if (choice === 'skip') return 'skipped';
  if ((await asItIs(server, config)).server?.approval?.hash !== request.hash) {
    const told = `${showExact(server.name)} was changed meanwhile: nothing was remembered. /mcp approve asks again`;
    screen.print(ownRows(told, columns).map(style.yellow).join('\n'));
    return 'skipped';
  }
  const file = await choose(config, server, { decision: choice, now: now(), signIn: request.signIn !== undefined });
  const word = choice === 'approved' ? 'may run' : 'may not run';
  const told = `${showExact(server.name)} ${word}; remembered in ${homePath(file, config.env)}`;
  screen.print(ownRows(told, columns).map(style.dim).join('\n'));
  return 'answered';
}

/** What its file says by now, undefined where that is gone, and what is written about calls. */
async function asItIs(
  { name, scope, origin }: ConfiguredServer,
  config: ConfigContext,
): Promise<{ readonly server: ConfiguredServer | undefined } & Pick<LoadedConfig, 'permissions'>> {
  const { servers, permissions } = await loadConfig(config);
  const server = servers.find((one) => one.name === name && one.scope === scope && one.origin === origin);
  return { server, permissions };
}

const OURS = '=> '; // whatever an entry says is indented
