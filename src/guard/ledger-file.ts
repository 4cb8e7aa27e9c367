import { join } from 'node:path';

/** Where a ledger is, in the folder where the state of all hosts is. */
export function ledgerFolder(state: string): string {
  return join(state, 'ledger');
}

/** Its newest file; older ones are beside it, with a number at the end. */
export function ledgerFile(folder: string): string {
  return join(folder, 'calls.jsonl');
}
