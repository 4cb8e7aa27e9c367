import { parseUrl } from '../../base/parse-url.js';
import { digest } from '../../edge/files/digest.js';
import type { CredentialRecord } from './credential-record.js';
import type { RecordKey } from './credential-store.js';

/** Under which names a record is kept, and what it is called to people. */
export interface RecordPlace {
  readonly file: string;
  /** Says that there is a copy in the keychain. */
  readonly marker: string;
  /** In the keychain, which folders of several programs share: two of them with two locks must not share a record. */
  readonly entry: string;
  /** For texts: without what could be a secret. */
  readonly shown: string;
}

export function placeOf(key: RecordKey, folder: string): RecordPlace {
  const server = spelled(key.server);
  const own = [server, key.account, key.clientId ?? null];
  const name = digest(JSON.stringify(key.grant === undefined ? own : [...own, key.grant]));
  const account = key.account === '' ? '' : ` as ${key.account}`;
  return {
    file: `${name}.json`,
    marker: `${name}.keychain`,
    entry: digest(JSON.stringify([folder, name])),
    shown: `${withoutQuery(server)}${account}`,
  };
}

/** Whether a record is what was asked for, and not merely in its place. */
export function belongs(record: CredentialRecord, key: RecordKey): boolean {
  return (
    spelled(record.server) === spelled(key.server) &&
    record.account === key.account &&
    (key.clientId === undefined || record.client.clientId === key.clientId)
  );
}

/**
 * One spelling for addresses that a request could not tell apart. No more than that: the tokens of one path of a server are not
 * for another path.
 */
function spelled(server: string): string {
  const url = parseUrl(server);
  if (!url) return server;
  url.hash = '';
  url.username = '';
  url.password = '';
  return url.href;
}

function withoutQuery(server: string): string {
  const [bare = ''] = server.split('?', 1);
  return bare;
}
