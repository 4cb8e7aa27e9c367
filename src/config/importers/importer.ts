import type { RawEntry } from '../../transports/kind.js';
import type { JsonPath } from '../document.js';
import type { Environment } from '../entries/expand.js';
import type { WrittenEntry } from '../scope.js';

/** One other host whose servers Plugboard can take over, or read live. A new one is a file and a name in the list. */
export interface Importer {
  /** What people type: `plugboard import claude-code`. */
  readonly host: string;
  readonly title: string;
  readonly format: ForeignFormat;
  /** Where this host keeps servers on this machine, whether or not the file is there. */
  files(where: ImportWhere): readonly ImportFile[];
  /** The entries of one file. Contract: must not throw, whatever the file holds. */
  parseFile(value: RawEntry, where: ImportWhere): ForeignFile;
  /** One entry in our own words. Contract: must not throw; what cannot be carried over is named in `lost`. */
  toEntry(raw: RawEntry, file: RawEntry): MappedEntry;
}

/** JSON always with comments and trailing commas. */
export type ForeignFormat = 'json' | 'toml' | 'yaml';

export interface ImportWhere {
  readonly home: string | undefined;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly cwd: string;
  readonly projectRoot: string;
}

export interface ImportFile {
  readonly path: string;
  /** `project`: it came with a repository, so its servers need approval. */
  readonly level: 'user' | 'project';
}

export interface ForeignFile {
  readonly entries: readonly ForeignEntry[];
  readonly remarks: readonly ImportProblem[];
}

export interface ForeignEntry extends WrittenEntry {
  /** Private to one project on the other host: becomes our local scope. */
  readonly local?: boolean;
  /** Switched off by something beside the entry, for this project alone or for all. */
  readonly off?: 'here' | 'everywhere';
  /** What something beside the entry says about its tools. */
  readonly tools?: { readonly includeTools?: readonly string[]; readonly excludeTools?: readonly string[] };
  readonly notes?: readonly string[];
}

/** Something to know about the file itself, or about a server in it that no other host can run. */
export interface ImportProblem {
  readonly severity: 'error' | 'warning';
  readonly path: JsonPath;
  readonly message: string;
  readonly hint: string;
}

export interface MappedEntry {
  readonly entry: RawEntry;
  /** Sentences: what the other host's entry said that ours cannot. */
  readonly lost: readonly string[];
  /** Sentences: what is carried over and means something else here, or needs a hand. */
  readonly notes: readonly string[];
  /** Fields that mean nothing here and are still in the entry. */
  readonly kept: readonly string[];
}
