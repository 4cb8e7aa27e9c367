import { join } from 'node:path';

/** The ledger's folder, inside the state folder that all hosts share. */
export function ledgerFolder(state: string): string {
  return join(state, 'ledger');
}

/** The newest file; older ones are beside it, with a number appended. */
export function ledgerFile(folder: string): string {
  return join(folder, 'calls.jsonl');
}
