import type { Headers } from './http-turn.js';

/** The head of a response. Checks nothing, because some modes need an invalid head. */
export function toHead(status: number, headers: Headers, reason: string = REASONS[status] ?? 'Unknown'): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${fields.join('')}\r\n`;
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  301: 'Moved Permanently',
  302: 'Found',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
