import type { ConfiguredServer } from '../config/entries/server.js';
import type { HostOpening } from './action.js';

/** Of whom a report is: of one server, or of all; `noConnect`: of the files alone. */
interface ReportArgs {
  readonly server?: string | undefined;
  readonly noConnect: boolean;
}

/** For what tells how servers are: those that may run are asked, and none of them can end it. */
export function reportOpening(): HostOpening<ReportArgs> {
  return {
    servers: async ({ servers }, args) => servers.filter((server) => isReady(server, args)).map(({ name }) => name),
    isNeeded: ({ servers }, args) => !args.noConnect && servers.some((server) => isReady(server, args)),
    mayStart: isMeant,
    isReport: true,
  };
}

function isReady(server: ConfiguredServer, args: ReportArgs): boolean {
  return server.standing.kind === 'ready' && isMeant(server, args);
}

function isMeant({ name }: ConfiguredServer, { server = name }: ReportArgs): boolean {
  return server === name;
}
