import { parseUrl } from '../../base/parse-url.js';
import { digest } from '../../edge/files/digest.js';
import type { CredentialRecord } from './credential-record.js';
import type { RecordKey } from './credential-store.js';

/** The names under which a record is stored, and its name for messages. */
export interface RecordPlace {
  readonly file: string;
  /** Exists when there may be a copy in the keychain. */
  readonly marker: string;
  /** Name in the keychain. It depends on the folder: two folders have two locks, and must not share a record. */
  readonly entry: string;
  /** For messages: without userinfo and query, which may contain a secret. */
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

/** Whether a record is the one of this key, and not merely stored under its name. */
export function belongs(record: CredentialRecord, key: RecordKey): boolean {
  return (
    spelled(record.server) === spelled(key.server) &&
    record.account === key.account &&
    (key.clientId === undefined || record.client.clientId === key.clientId)
  );
}

/** One spelling for URLs that give the same request, no more: tokens for one path of a server are not for another. */
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
