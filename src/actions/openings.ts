import type { ConfiguredServer } from '../config/entries/server.js';
import type { HostOpening } from './action.js';

/** The subject of a report: one server, or all; `noConnect`: only the files are read. */
interface ReportArgs {
  readonly server?: string | undefined;
  readonly noConnect: boolean;
}

/** For reports on servers: connects to those that may run; a failed server does not fail the report. */
export function reportOpening(): HostOpening<ReportArgs> {
  return {
    servers: async ({ servers }, args) => servers.filter((server) => isReady(server, args)).map(({ name }) => name),
    isNeeded: ({ servers }, args) => !args.noConnect && servers.some((server) => isReady(server, args)),
    // Without connecting nothing starts, so that no folder has to be trusted for it.
    mayStart: (server, args) => !args.noConnect && isMeant(server, args),
    isReport: true,
  };
}

/** For an action on one server: no other server is opened, and this one starts only when the action starts it. */
export const serverOpening: HostOpening<{ readonly server: string }> = {
  servers: async (_, { server }) => [server],
  mayStart: ({ name }, { server }) => name === server,
  isLazy: true,
};

/** For an action on the sign-in to one server: the folder need not be trusted for that. */
export const signInOpening: typeof serverOpening = { ...serverOpening, mayStart: () => false };

function isReady(server: ConfiguredServer, args: ReportArgs): boolean {
  return server.standing.kind === 'ready' && isMeant(server, args);
}

function isMeant({ name }: ConfiguredServer, { server = name }: ReportArgs): boolean {
  return server === name;
}
