import type { GatewaySettings } from './policy/gateway-fields.js';
import type { Secret } from '../base/secret.js';
import type { FileRead } from '../edge/files/read-file.js';
import type { IdentityProviderSettings } from '../model/oauth-settings.js';
import type { ConfigContext } from './context.js';
import type { JsonPath, DocumentReading } from './document.js';
import type { Environment } from './entries/expand.js';
import type { Problem } from './problem.js';
import type { TextPlace } from './text-place.js';

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
/** Where an entry is from, strongest first. */
export type ScopeName = (typeof scopeNames)[number];

/** A source of server entries. A new scope is one file in scopes/ and one name in its list. */
export interface Scope {
  readonly name: ScopeName;
  /** The name for people. */
  readonly label: string;
  /** Contract: must not throw; errors go into `problems`. */
  read(reader: ScopeReader): Promise<ScopeReading>;
}

/** What a scope reads with. Every path is remembered for the watcher, and each document is read once. */
export interface ScopeReader {
  readonly context: ConfigContext;
  readonly settings: Settings;
  readonly read: (file: string, options?: { readonly limit?: number }) => Promise<DocumentReading>;
  /** For a file in a format other than JSON. */
  readonly readText: (file: string, options?: { readonly limit?: number }) => FileRead;
  /** The sorted names in a folder; none when it does not exist. */
  readonly list: (folder: string) => readonly string[];
}

export interface ScopeReading {
  readonly sources: readonly ConfigSource[];
  readonly problems: readonly Problem[];
}

/** Who wrote a definition. */
export type Author = 'administrator' | 'user' | 'repository' | 'remote';

/** One file, argument or response that defines servers. */
export interface ConfigSource {
  readonly scope: ScopeName;
  /** The path of its file, or another source such as a flag. */
  readonly origin: string;
  readonly entries: readonly WrittenEntry[];
  /** Decides whether entries need approval or trust, and whether they may disable a server. */
  readonly author: Author;
  /** False: no entry refers to a variable, so nothing has to be expanded. */
  readonly hasVariables: boolean;
  /** Variables that only entries of this source may use. */
  readonly variables?: Environment;
  readonly placeOf: (path: JsonPath) => Promise<TextPlace | undefined>;
}

export interface WrittenEntry {
  readonly name: string;
  readonly raw: unknown;
  /** The path to the entry in its document. */
  readonly path: JsonPath;
}

/** The user's and the administrator's settings, as far as loading needs them. */
export interface Settings {
  readonly pluginDirs: readonly string[];
  readonly links: readonly LinkedFile[];
  readonly connectors?: ConnectorService;
  /** The identity provider for servers with `xaa`. */
  readonly xaaIdp?: IdentityProviderSettings;
  /** The model of a session. */
  readonly model?: ModelSetting;
  /** Sub-agents by name, unparsed. */
  readonly agents?: Readonly<Record<string, unknown>>;
  /** How long sessions are kept; missing fields have their defaults. */
  readonly sessions?: SessionsSetting;
  /** How much is kept of results that were saved to files; missing fields have their defaults. */
  readonly results?: ResultsSetting;
  /** What holds for clients that this program serves; missing fields have their defaults. */
  readonly gateway?: GatewaySettings;
}

/** How long sessions are kept. */
export interface SessionsSetting {
  readonly days?: number;
  /** Megabytes of all sessions together. */
  readonly mb?: number;
}

/** How long saved results are kept, and how much of them. */
export interface ResultsSetting {
  /** Days since a file was written or last read. */
  readonly days?: number;
  /** Megabytes of all files together. */
  readonly mb?: number;
}

/** The model as in `--model`; missing fields have the model's defaults. */
export interface ModelSetting {
  readonly name?: string;
  readonly contextTokens?: number;
  readonly maxTokens?: number;
  /** Tools that its provider runs itself, in the format of its API. */
  readonly tools?: readonly object[];
}

/** Whether models see all tools, or search for them. */
export type ToolSearchSetting = 'auto' | 'always' | 'never';

/** The service that lists the account's connectors. */
export interface ConnectorService {
  readonly url: string;
  /** The URL for display: as written, masked. */
  readonly origin: string;
  readonly token?: Secret;
}

/** Another host's file, read live. */
export interface LinkedFile {
  readonly host: string;
  readonly file?: string;
}
