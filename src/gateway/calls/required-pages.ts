// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
import { isObject, type JsonObject } from '../../base/json.js';
import type { ServerError } from '../../model/server-result.js';
import type { Client, ClientRequest } from '../../serving/endpoint.js';
import type { Clean } from '../clean.js';
import { URL_REQUIRED } from './named-questions.js';
import { refuseUrl } from './shown-pages.js';

/**
 * The pages that a legacy server wants visited before it runs a call; undefined for any other error. Throws a
 * JsonRpcFailure for one that nobody is shown.
 */
export function pagesOf(
  error: ServerError | undefined,
  { server, clean }: { readonly server: string; readonly clean: Clean },
): readonly JsonObject[] | undefined {
  if (error?.code !== URL_REQUIRED || !isObject(error.data)) return undefined;
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations)) return undefined;
  const pages = elicitations.filter((one) => isObject(one) && typeof one['url'] === 'string');
  for (const { url } of pages) refuseUrl(server, url);
  return pages.length === 0 || pages.length > PAGES ? undefined : pages.map((page: JsonObject) => clean(page));
}

/** Whether a client knows what to do with the error itself. */
export function showsPages({ era, capabilities }: Client): boolean {
  return era === 'legacy' && hasPages(capabilities);
}

/** Asks a modern client to show the pages, all at once. False where it cannot, or where its user did not want to. */
export async function visitPages(request: ClientRequest, pages: readonly JsonObject[]): Promise<boolean> {
  const { client, signal } = request;
  if (client.era === 'legacy' || !hasPages(client.capabilities)) return false;
  const visits = pages.map(({ message, url }) =>
    request.ask({ method: 'elicitation/create', params: { mode: 'url', message, url } }, signal),
  );
  const answers = await Promise.all(visits);
  return answers.every(({ action }) => action === 'accept');
}

/** For clients that cannot show a page: its address, in the result. */
export function toPagesText(server: string, pages: readonly JsonObject[]): JsonObject {
  const lines = pages.map(({ message, url }) =>
    typeof message === 'string' ? `${message}: ${String(url)}` : String(url),
  );
  const text = [`Server "${server}" wants these pages visited before it runs the call:`, ...lines].join('\n');
  return { content: [{ type: 'text', text }], isError: true };
}

function hasPages({ elicitation }: JsonObject): boolean {
  return isObject(elicitation) && isObject(elicitation['url']);
}

const PAGES = 10;
