/**
 * Whether a text is the path of a file or folder and nothing else: below a folder that machines have (Base64 may begin
 * with a slash, too), of plain characters, and without what looks like a token.
 */
export function isPlainPath(text: string): boolean {
  if (!PATH.test(text) || KNOWN_TOKEN.test(text) || UUID.test(text)) return false;
  const names = text.replace(MAC_FOLDER, '').match(/[A-Za-z0-9_-]+/gu) ?? [];
  const lengths = names.map(randomLength);
  const isToken = lengths.some((length, at) => names[at]!.length >= SHORTEST_TOKEN && length * 2 >= names[at]!.length);
  const random = lengths.filter((length) => length > SUFFIX_LENGTH).reduce((sum, length) => sum + length, 0);
  return !isToken && random < RANDOM_LIMIT;
}

const PATH =
  /^(?:~(?=\/)|\/(?:home|Users|root|tmp|var|usr|opt|etc|mnt|srv|private|run|media|Volumes|workspaces?)(?=\/|$)|c:[/\\](?:Users|Program Files(?: \(x86\))?|ProgramData|Windows|Te?mp|inetpub)(?=[/\\]|$))[\p{L}\p{N} ._~/\\-]*$/iu;
/** The beginnings of issuers' tokens, also of short ones. */
const KNOWN_TOKEN =
  /(?<![A-Za-z0-9])(?:gh[a-z]_|github_pat_|glpat-|sk[-_]|xox[a-z]-|xapp-|eyJ|A[KS]IA)[A-Za-z0-9_-]{6}/u;
/** A folder that nobody can guess may be all that keeps others out. */
const UUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/iu;
/** The temporary folder that macOS gives each user: `/var/folders/9x/k3b2c1xd5ljc4mv8q7s2hr400000gn/T`. */
const MAC_FOLDER = /^(?:\/private)?\/var\/folders\/[a-z\d_]{2}\/[a-z\d_]{28,32}\/T(?=\/|$)/u;
/** `mkdtemp` adds so many random characters to a name, and one such folder may be in another. */
const SUFFIX_LENGTH = 6;
/** Random characters in a path, such as a key that slashes divide. `mktemp` makes a name of 10. */
const RANDOM_LIMIT = 13;
const SHORTEST_TOKEN = 16;

function randomLength(name: string): number {
  const pieces = name.split(/[_-]+/u).filter(isRandom);
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

/** Whether letters and digits stand in no order: not in names, versions and dates. */
function isRandom(piece: string): boolean {
  const digits = piece.match(/\d+/gu) ?? [];
  if (digits.length > 1 || (digits[0]?.length ?? 0) >= LONG_NUMBER || unreadable(piece) > 1) return true;
  return piece.length >= SHORTEST_TOKEN && (MIXED.test(piece) || hasFewVowels(piece));
}

const LONG_NUMBER = 18; // a time to the millisecond has 17
/** Also Base32 with its digits at one end. */
const MIXED = /[A-Za-z]\d+[A-Za-z]|^[A-Z]+\d+$|^\d+[A-Z]+$/u;

function hasFewVowels(piece: string): boolean {
  const vowels = piece.match(/[aeiou]/giu)?.length ?? 0;
  const letters = piece.match(/[a-z]/giu)?.length ?? 0;
  return vowels * 4 < letters || /[bcdfghjklmnpqrstvwxz]{5}/u.test(piece);
}

/** How many words of a joined name cannot be spoken: none of `MyProject`, two of `wJalrXUtn`. */
function unreadable(piece: string): number {
  const words = piece.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/gu) ?? [];
  return words.filter((word) => !/[aeiouy]/iu.test(word)).length;
}
