import { parseEntry, type ServerConfig, serverTargetOf } from '../../transports/kinds.js';
import { signatureOf } from '../entries/signature.js';
import { describeEntry } from '../entries/target.js';

/** What an entry of another host would be here, before it is linked or imported. */
export interface ForeignServer {
  /** The command that it starts or the URL that it reaches, masked. */
  readonly target: string;
  /** Starts a program on this machine. */
  readonly isCommand: boolean;
  readonly isDisabled: boolean;
  /** Equal for the same server under another name; may hold secrets. Undefined for an entry that is wrong. */
  readonly signature: string | undefined;
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
    signature: config && signatureOfConfig(config),
    fault: issues.find(({ severity }) => severity === 'error')?.message,
  };
}

/** The signature of a server that is configured here. */
export function signatureOfConfig(config: ServerConfig): string {
  return signatureOf(serverTargetOf(config));
}
