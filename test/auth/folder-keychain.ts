import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keychain } from '../../src/auth/store/keychain.js';

/** A keychain that keeps its entries as files in a folder. */
export function folderKeychain(entries: string): Keychain {
  return {
    read: async (name) => {
      const file = join(entries, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    },
    write: async (name, text) => {
      writeFileSync(join(entries, `${name}.${process.pid}`), text);
      renameSync(join(entries, `${name}.${process.pid}`), join(entries, name));
    },
    remove: async (name) => rmSync(join(entries, name), { force: true }),
    async [Symbol.asyncDispose]() {},
  };
}
