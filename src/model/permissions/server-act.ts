import { toNamePart, toPrefix } from '../view/names.js';
import { PREFIX, SEPARATOR } from './rule.js';

/**
 * Actions that rules decide like tools: the server uses the model (`mcp__server__sampling`), a resource is read
 * (`mcp__server__resources`), a prompt is got (`mcp__server__prompts`). No tool of a server can have these names.
 */
export const serverActs = ['sampling', 'resources', 'prompts'] as const;
/** What a server asks for, or is asked for, besides tools. */
export type ServerAct = (typeof serverActs)[number];
/** The actions that are requests to a server. */
export type RequestAct = Exclude<ServerAct, 'sampling'>;

export interface ActNameOptions {
  readonly act: ServerAct;
  readonly server: string;
  /** Another server's name becomes the same as part of a tool's name: see `sharedNames`. */
  readonly sharesName: boolean;
  readonly isConnector: boolean;
}

/** The action's name for rules, hooks and the ledger, with the server's name as written where two would look alike. */
export function actName({ act, server, sharesName, isConnector }: ActNameOptions): string {
  return (sharesName ? PREFIX + server + SEPARATOR : toPrefix(server, isConnector)) + act;
}

/** Whether a tool's name looks like a server action. Such a tool is meant only by the name that the model knows. */
export function isSpelledLikeAct(tool: string): boolean {
  const part = toNamePart(tool).toLowerCase();
  return serverActs.some((act) => act === part);
}
