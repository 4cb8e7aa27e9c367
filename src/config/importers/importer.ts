import type { RawEntry } from '../../transports/kind.js';
import type { JsonPath } from '../document.js';
import type { Environment } from '../entries/expand.js';
import type { WrittenEntry } from '../scope.js';

/** Another host whose servers can be imported, or read live. A new one is a file and a name in `importers`. */
export interface Importer {
  /** The name that users type: `plugboard import claude-code`. */
  readonly host: string;
  readonly title: string;
  readonly format: ForeignFormat;
  /** The places where this host keeps servers on this machine, whether or not the files exist. */
  files(where: ImportWhere): readonly ImportFile[];
  /** The entries of one file. Contract: must not throw, whatever the file holds. */
  parseFile(value: RawEntry, where: ImportWhere): ForeignFile;
  /** One entry in our format. Contract: must not throw; what cannot be carried over is named in `lost`. */
  toEntry(raw: RawEntry, file: RawEntry): MappedEntry;
}

/** JSON may have comments and trailing commas. */
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
  /** `project`: the file came with a repository, so its servers need approval. */
  readonly level: 'user' | 'project';
}

export interface ForeignFile {
  readonly entries: readonly ForeignEntry[];
  readonly remarks: readonly ImportProblem[];
}

export interface ForeignEntry extends WrittenEntry {
  /** Private to one project on the other host: becomes our local scope. */
  readonly local?: boolean;
  /** Disabled outside its entry, for this project alone or for all. */
  readonly off?: 'here' | 'everywhere';
  /** Tool filters from outside the entry. */
  readonly tools?: { readonly includeTools?: readonly string[]; readonly excludeTools?: readonly string[] };
  readonly notes?: readonly string[];
}

/** A problem of the file itself, or of a server in it that only the other host can run. */
export interface ImportProblem {
  readonly severity: 'error' | 'warning';
  readonly path: JsonPath;
  readonly message: string;
  readonly hint: string;
}

export interface MappedEntry {
  readonly entry: RawEntry;
  /** Sentences: what the entry said that ours cannot express. */
  readonly lost: readonly string[];
  /** Sentences: what was carried over but means something else here, or needs the user's attention. */
  readonly notes: readonly string[];
  /** Fields that have no meaning here but stay in the entry. */
  readonly kept: readonly string[];
}
