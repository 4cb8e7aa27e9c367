import { toNamePart, toPrefix } from '../view/names.js';
import { PREFIX, SEPARATOR } from './rule.js';

/**
 * What is no tool of a server and is decided like one: that the server uses the model (`mcp__server__sampling`), that one of its resources is
 * read (`mcp__server__resources`), and that one of its prompts is got (`mcp__server__prompts`). No tool of a server can have these names.
 */
export const serverActs = ['sampling', 'resources', 'prompts'] as const;
export type ServerAct = (typeof serverActs)[number];
/** What is asked of a server. */
export type RequestAct = Exclude<ServerAct, 'sampling'>;

export interface ActNameOptions {
  readonly act: ServerAct;
  readonly server: string;
  /** Another server's name reads the same once it is part of a tool's name: see `sharedNames`. */
  readonly sharesName: boolean;
  readonly isConnector: boolean;
}

/** By what rules, hooks and the ledger know it. Where two servers' names look alike in a tool's, it has the server's as it is written. */
export function actName({ act, server, sharesName, isConnector }: ActNameOptions): string {
  return (sharesName ? PREFIX + server + SEPARATOR : toPrefix(server, isConnector)) + act;
}

/** Whether a server's tool is spelled like something that is none: then only the name that a model knows it by means the tool. */
export function isSpelledLikeAct(tool: string): boolean {
  const part = toNamePart(tool).toLowerCase();
  return serverActs.some((act) => act === part);
}
