import { isObject } from '../base/json.js';
import type { HostRequest } from './healthy.js';

const KINDS_LIMIT = 1000; // a host may invent any number of methods

/** Counts what a host sends; the tool `report` returns the counts. */
export class RequestCounts {
  readonly #counts = new Map<string, number>();

  add(what: string): void {
    const count = this.#counts.get(what);
    if (count !== undefined || this.#counts.size < KINDS_LIMIT) this.#counts.set(what, (count ?? 0) + 1);
  }

  counts(): Record<string, number> {
    return { strayed: 0, ...Object.fromEntries(this.#counts) };
  }

  /** Counts a message from the host. Returns it if it is a request, else undefined. */
  take(message: unknown): HostRequest | undefined {
    const { id, method, params } = isObject(message) ? message : {};
    const known = isObject(params) ? params : {};
    if (typeof method === 'string') this.add(method === 'tools/call' ? `tools/call ${String(known['name'])}` : method);
    else this.add(isObject(message) ? kindOfAnswer(message['error']) : 'unreadable');
    return typeof method !== 'string' || id === undefined ? undefined : { id, method, params: known };
  }
}

function kindOfAnswer(error: unknown): string {
  return error === undefined ? 'answer' : `error ${isObject(error) ? String(error['code']) : 'unreadable'}`;
}
