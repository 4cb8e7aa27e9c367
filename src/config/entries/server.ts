import type { ServerConfig } from '../../transports/kinds.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ApprovalDecision } from '../approval/approvals.js';
import type { EntryMeaning, NamedFile } from '../approval/approved-place.js';
import type { Author, ScopeName } from '../scope.js';
import type { Twin } from './twins.js';

/** Why a definition runs or does not. At most one definition of a name is `ready`. */
export type Standing =
  | { readonly kind: 'ready' }
  | { readonly kind: 'disabled'; readonly by: 'entry' | 'user' }
  | {
      readonly kind: 'unapproved';
      readonly rejected: boolean;
      readonly previous?: ApprovalDecision;
      /** The text is as approved, but this word names another file here. */
      readonly otherFile?: NamedFile;
    }
  /** The server needs the working directory, which is not trusted; `reason` says what for. */
  | { readonly kind: 'untrusted'; readonly folder: string; readonly isRefused: boolean; readonly reason: string }
  | { readonly kind: 'denied'; readonly by: 'deny-list' | 'allow-list' | 'closed-policy'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** A stronger definition has the same name, or the same server is configured under another name. */
  | {
      readonly kind: 'suppressed';
      readonly how: 'shadowed' | 'duplicate';
      readonly by: { readonly name: string; readonly scope: ScopeName };
    };

export interface Approval {
  readonly hash: string;
  readonly commandPath?: string;
  readonly place: EntryMeaning;
  /** What its sandbox would allow beyond what a policy does, in sentences. */
  readonly sandbox?: readonly string[];
  /** The user's sign-ins that it may use: `all` if the approval said so, `old` if it predates that question. */
  readonly sees?: 'all' | 'old' | 'none';
}

/** One definition of a server, from any source, with its standing. */
export interface ConfiguredServer {
  readonly name: string;
  readonly scope: ScopeName;
  /** The path of its file, or another source such as a flag. */
  readonly origin: string;
  readonly author: Author;
  readonly standing: Standing;
  /** The entry as written, before expansion. Undefined when it is no object. */
  readonly written: RawEntry | undefined;
  /** The entry checked and expanded. Undefined when it is invalid. */
  readonly config: ServerConfig | undefined;
  /** Its processes start in a private folder, because the working directory is not trusted. */
  readonly startsInPrivateFolder?: boolean;
  /** The server that this is an account of; both have the same entry. */
  readonly accountOf?: string;
  /** For a repository's server: servers of the user's with the same name. */
  readonly twins?: readonly Twin[];
  /** For a project's server: what an approval is bound to, and the program that it would start. */
  readonly approval?: Approval;
}
