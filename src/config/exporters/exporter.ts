import type { RawEntry } from '../../transports/kind.js';
import type { ImportFile, ImportWhere } from '../importers/importer.js';

/** Another host whose file Plugboard can write. A new one is a row in `exporters`; its importer knows the places. */
export interface Exporter {
  /** The importer's name for the host. */
  readonly host: string;
  /** The keys that lead to the servers in its file. */
  path(file: RawEntry): readonly string[];
  /** Its files in a project, where these are not the importer's: `.mcp.json` is ours, too. */
  projectFiles?(where: ImportWhere): readonly ImportFile[];
  /** One entry of ours in the host's format. Contract: must not throw. */
  toForeign(name: string, entry: RawEntry): ForeignEntryResult;
}

export type ForeignEntryResult =
  | {
      readonly kind: 'entry';
      readonly entry: RawEntry;
      /** Sentences: what the entry says that the other host's format cannot express. */
      readonly lost: readonly string[];
      /** Sentences: what means something else there. */
      readonly notes: readonly string[];
    }
  /** The server would not work there. */
  | { readonly kind: 'refused'; readonly reason: string };
