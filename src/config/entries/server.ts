import type { ServerConfig } from '../../transports/kinds.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ApprovalDecision } from '../approval/approvals.js';
import type { EntryMeaning, NamedFile } from '../approval/approved-place.js';
import type { Author, ScopeName } from '../scope.js';
import type { Twin } from './twins.js';

/** Why a definition runs or does not. Exactly one definition of a name is `ready` at most. */
export type Standing =
  | { readonly kind: 'ready' }
  | { readonly kind: 'disabled'; readonly by: 'entry' | 'user' }
  | {
      readonly kind: 'unapproved';
      readonly rejected: boolean;
      readonly previous?: ApprovalDecision;
      /** Every word is as it was approved, and this one means another file here. */
      readonly otherFile?: NamedFile;
    }
  /** It needs the working directory, which the user has not trusted; `reason` says for what. */
  | { readonly kind: 'untrusted'; readonly folder: string; readonly isRefused: boolean; readonly reason: string }
  | { readonly kind: 'denied'; readonly by: 'deny-list' | 'allow-list' | 'closed-policy'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** A stronger definition has the same name, or another server is the same one under another name. */
  | {
      readonly kind: 'suppressed';
      readonly how: 'shadowed' | 'duplicate';
      readonly by: { readonly name: string; readonly scope: ScopeName };
    };

export interface Approval {
  readonly hash: string;
  readonly commandPath?: string;
  readonly place: EntryMeaning;
  /** What its sandbox would be beyond what a policy gives, in sentences. */
  readonly sandbox?: readonly string[];
  /** Which sign-ins of the user's it may use: `all` where an approval said so, `old` where nobody was asked about that. */
  readonly sees?: 'all' | 'old' | 'none';
}

/** One definition of a server, wherever it was written, and what becomes of it. */
export interface ConfiguredServer {
  readonly name: string;
  readonly scope: ScopeName;
  /** The file's path, or what else it came from. */
  readonly origin: string;
  readonly author: Author;
  readonly standing: Standing;
  /** The entry as written, before expansion. Undefined when it is not even an object. */
  readonly written: RawEntry | undefined;
  /** Checked and expanded. Undefined when the entry is invalid. */
  readonly config: ServerConfig | undefined;
  /** What it starts is started in a private folder: the working directory is not trusted. */
  readonly isApart?: boolean;
  /** It is an account of that server, and has its entry. */
  readonly accountOf?: string;
  /** Of a repository's server: the user's own of the same name. */
  readonly twins?: readonly Twin[];
  /** Of a project's server: what an approval is bound to, and the program it would start. */
  readonly approval?: Approval;
}
