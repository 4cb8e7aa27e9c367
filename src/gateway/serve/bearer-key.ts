import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Identity } from '../../serving/http/http-serving.js';

/** Everybody who has the key is the user of this program. Without a key everybody is. */
export function authenticator(key: string | undefined): (request: IncomingMessage) => Identity {
  if (key === undefined) return () => USER;
  const expected = digest(key);
  return ({ headers: { authorization } }) => {
    const [, given] = /^bearer +(\S{1,1000})$/iu.exec(authorization ?? '') ?? [];
    // Digests have one length, so that the time says nothing of the key.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return USER;
    return given === undefined ? NO_KEY : WRONG_KEY;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const USER: Identity = { kind: 'principal', principal: 'local' };
const NO_KEY: Identity = {
  kind: 'refused',
  status: 401,
  message: 'This gateway wants the key that it prints when it starts: Authorization: Bearer <key>',
  headers: ['WWW-Authenticate', 'Bearer realm="plugboard"'],
};
const WRONG_KEY: Identity = {
  kind: 'refused',
  status: 401,
  message: 'This is not the key of this gateway',
  headers: ['WWW-Authenticate', 'Bearer realm="plugboard", error="invalid_token"'],
};
