import type { Secret } from '../base/secret.js';
import type { FileRead } from '../edge/files/read-file.js';
import type { IdentityProviderSettings } from '../model/oauth-settings.js';
import type { ConfigContext } from './context.js';
import type { JsonPath, DocumentReading } from './document.js';
import type { Environment } from './entries/expand.js';
import type { Problem } from './problem.js';

/** Strongest first. */
export const scopeNames = [
  'enterprise',
  'dynamic',
  'local',
  'project',
  'user',
  'linked',
  'plugin',
  'connectors',
] as const;
export type ScopeName = (typeof scopeNames)[number];

/** Where server entries come from. A new scope is one file in scopes/ and one name in its list. */
export interface Scope {
  readonly name: ScopeName;
  /** How a person is told of it. */
  readonly label: string;
  /** Contract: must not throw; what is wrong goes into `problems`. */
  read(reader: ScopeReader): Promise<ScopeReading>;
}

/** What a scope reads with. Every file asked for is remembered, so that it can be watched, and read once. */
export interface ScopeReader {
  readonly context: ConfigContext;
  readonly settings: Settings;
  readonly read: (file: string, options?: { readonly limit?: number }) => Promise<DocumentReading>;
  /** A file in a format of its own. */
  readonly readText: (file: string, options?: { readonly limit?: number }) => FileRead;
  /** A folder whose content matters: its names, sorted; none when it is not there. */
  readonly list: (folder: string) => readonly string[];
}

export interface ScopeReading {
  readonly sources: readonly ConfigSource[];
  readonly problems: readonly Problem[];
}

/** Whose word a definition is. */
export type Author = 'administrator' | 'user' | 'repository' | 'remote';

/** One file, argument or answer that defines servers. */
export interface ConfigSource {
  readonly scope: ScopeName;
  /** The file's path, or what else it came from. */
  readonly origin: string;
  readonly entries: readonly WrittenEntry[];
  /** Who wrote it decides whether it may run, be trusted, or switch something off without being asked. */
  readonly author: Author;
  /** False: nothing in it refers to a variable, so nothing has to be expanded. */
  readonly hasVariables: boolean;
  /** Variables that only this source's entries may refer to. */
  readonly variables?: Environment;
  readonly lineOf: (path: JsonPath) => Promise<number | undefined>;
}

export interface WrittenEntry {
  readonly name: string;
  readonly raw: unknown;
  /** The way to it in its document. */
  readonly path: JsonPath;
}

/** What the user's and the administrator's settings say, as far as loading needs it. */
export interface Settings {
  readonly pluginDirs: readonly string[];
  readonly links: readonly LinkedFile[];
  readonly connectors?: Catalogue;
  /** Whose word servers with `xaa` take. */
  readonly xaaIdp?: IdentityProviderSettings;
  /** The model that a session talks to. */
  readonly model?: ModelSetting;
  /** Sub-agents by name, as they are written: whoever starts one reads them. */
  readonly agents?: Readonly<Record<string, unknown>>;
}

/** As `--model` names it; what is not said is as usual for it. */
export interface ModelSetting {
  readonly name?: string;
  readonly contextTokens?: number;
  readonly maxTokens?: number;
  /** Tools that its provider runs itself, as its API wants them to be written. */
  readonly tools?: readonly object[];
}

/** Whether models are shown all tools, or look for them. */
export type ToolSearchSetting = 'auto' | 'always' | 'never';

/** Where the account's connectors are listed. */
export interface Catalogue {
  readonly url: string;
  /** The URL as it may be shown: as written, masked. */
  readonly origin: string;
  readonly token?: Secret;
}

/** Another host's file, read live. */
export interface LinkedFile {
  readonly host: string;
  readonly file?: string;
}
