import { readdirSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { isObject, parseJson } from '../../base/json.js';
import { Secret } from '../../base/secret.js';
import { maskEntry } from '../../config/edit/mask.js';
import type { HostConfig } from '../../config/load.js';
import { entrySecrets } from '../../connection/entry-secrets.js';
import { readBounded } from '../../edge/files/read-file.js';
import { escapePattern } from '../../model/redaction/escape-pattern.js';
import { isSecretName, maskTokens, maskValue } from '../../model/redaction/mask-value.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateText } from '../../model/text/text-gate.js';
import { hiddenTexts, plainSecrets } from './plain-secrets.js';

/**
 * Removes what a stranger must not read: the secrets of all entries, of the environment and of stored sign-ins, whatever
 * looks like a credential, the name of the user and of the machine. Names of servers, tools and folders stay.
 */
export function reportRedactor(loaded: HostConfig): (text: string) => string {
  const { env, places } = loaded.context;
  const secrets = [
    ...loaded.servers.flatMap(({ config, written }) => [
      ...entrySecrets(config),
      ...hiddenTexts(written, written && maskEntry(written)),
      ...plainSecrets(config),
    ]),
    ...variableSecrets(env),
    ...storedSecrets(places.state),
  ];
  // A variable that is not set stands for itself, and its name is no secret.
  const hidden = secrets.filter((secret) => maskValue(secret.reveal()) !== secret.reveal());
  const redactor = textRedactor({ secrets: hidden, home: places.home });
  const names = privateNames(env);
  return (text) => {
    const clean = maskTokens(redactor.redact(gateText(text).text));
    return names.reduce((rest, [name, by]) => rest.replaceAll(name, by), clean);
  };
}

function variableSecrets(env: Readonly<Record<string, string | undefined>>): Secret[] {
  return Object.entries(env)
    .filter(([name, value = '']) => isSecretName(name) && value.length >= SHORTEST && !isPath(value))
    .map(([, value]) => new Secret(value!));
}

const SHORTEST = 6; // shorter values are words such as `true`
/** `SSH_AUTH_SOCK` and the like name a file. */
const isPath = (value: string): boolean => /^(?:[/~]|[A-Za-z]:\\)/u.test(value);

/** Tokens and client secrets that are stored in files; those in the system's keychain stay there. */
function storedSecrets(state: string | undefined): Secret[] {
  if (state === undefined) return [];
  const folder = join(state, 'credentials');
  const files = attempt(() => readdirSync(folder)) ?? [];
  return files.slice(0, FILES_LIMIT).flatMap((file) => {
    const read = readBounded(join(folder, file));
    return read.kind === 'text' ? namedSecrets(parseJson(read.text), '') : [];
  });
}

const FILES_LIMIT = 1000;

function namedSecrets(value: unknown, name: string): Secret[] {
  if (typeof value === 'string') return value.length >= SHORTEST && isSecretName(name) ? [new Secret(value)] : [];
  if (Array.isArray(value)) return value.flatMap((part) => namedSecrets(part, name));
  return isObject(value) ? Object.entries(value).flatMap(([key, part]) => namedSecrets(part, key)) : [];
}

/** The names of the user and of the machine, where they stand as words. */
function privateNames(env: Readonly<Record<string, string | undefined>>): readonly (readonly [RegExp, string])[] {
  const users = [env['USER'], env['LOGNAME'], env['USERNAME'], attempt(() => userInfo().username)];
  const machine = attempt(hostname);
  const all = [...users.map((name) => [name, '<user>'] as const), [machine, '<machine>'] as const];
  return all.flatMap(([name, by]) =>
    name === undefined || name.length < 3 || EVERYBODY.has(name.toLowerCase())
      ? []
      : [[new RegExp(`(?<![\\w-])${escapePattern(name)}(?![\\w-])`, 'giu'), by] as const],
  );
}

/** Names that say nothing about a person. */
const EVERYBODY: ReadonlySet<string> = new Set(['root', 'user', 'admin', 'node', 'localhost', 'runner', 'home']);
