import type * as Client from '@modelcontextprotocol/client';

/** The official SDK, whose OAuth functions are used here. It costs 100 ms and 27 MB, so only who signs in loads it. */
export async function loadSdk(): Promise<Sdk> {
  return await import('@modelcontextprotocol/client');
}

export type Sdk = typeof Client;
