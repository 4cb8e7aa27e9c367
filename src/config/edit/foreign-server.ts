import { parseEntry, type ServerConfig, serverTargetOf } from '../../transports/kinds.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { ServerIdentity } from '../../model/fields/server-identity.js';
import { identityOf } from '../entries/signature.js';
import { describeEntry } from '../entries/target.js';

/** What an entry of another host would be here, before it is linked or imported. */
export interface ForeignServer {
  /** The command that it starts or the URL that it reaches, masked. */
  readonly target: string;
  /** Starts a program on this machine. */
  readonly isCommand: boolean;
  readonly isDisabled: boolean;
  /** Undefined for an entry that is wrong. */
  readonly identity: ServerIdentity | undefined;
  /** Why the entry is wrong; undefined: it is not. */
  readonly fault: string | undefined;
}

/** `entry`: in our own format, as an importer gives it. */
export function toForeignServer(entry: unknown): ForeignServer {
  const { config, issues } = parseEntry(entry);
  return {
    target: describeEntry(entry),
    isCommand: config !== undefined && serverTargetOf(config).kind === 'command',
    isDisabled: config?.disabled === true,
    identity: config && identityOfConfig(config, isObject(entry) ? entry : undefined),
    fault: issues.find(({ severity }) => severity === 'error')?.message,
  };
}

/** The identity of a server that is configured here. */
export function identityOfConfig(config: ServerConfig, written: JsonObject | undefined): ServerIdentity {
  return identityOf(serverTargetOf(config), written);
}
