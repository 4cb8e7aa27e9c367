import { isInSkillFolder } from '../../connection/catalog/skill-definition.js';

/**
 * Tells whether a server could take a URI for one in the folder of a skill: for rules that stop reading. Servers read
 * URIs in their own ways, so every spelling counts, and so does a URI of the same scheme that cannot be placed for
 * certain. What permits reading is judged by `isInSkillFolder`.
 */
export function mayBeInSkill(uri: string): (skill: string) => boolean {
  const { scheme, segments, isCertain } = placeOf(uri);
  return (skill) => {
    if (isInSkillFolder(uri, skill)) return true;
    const whole = placeOf(skill);
    if (scheme !== undefined && scheme !== whole.scheme) return false;
    return !isCertain || whole.segments.slice(0, -1).every((segment, at) => segments[at] === segment);
  };
}

/** What a URI names, in one spelling. */
interface Place {
  /** Undefined where none can be told. */
  readonly scheme: string | undefined;
  readonly segments: readonly string[];
  /** No server is likely to take the URI for another place. */
  readonly isCertain: boolean;
}

function placeOf(uri: string): Place {
  const { text, isPlain } = decoded(uri);
  const [head = '', scheme] = SCHEME.exec(text) ?? [];
  const body = text.slice(head.length);
  const end = body.search(/[?#]/u);
  const path = end < 0 ? body : body.slice(0, end);
  const { segments, isInside } = resolved(path.split('/'));
  const isCertain =
    isPlain && isInside && (end < 0 || EMPTY_END.test(body.slice(end))) && !/[@:]/u.test(segments[0] ?? '');
  return { scheme, segments, isCertain: isCertain && !segments.some((segment) => ODD_SEGMENT.test(segment)) };
}

/** Without escapes, however often they are escaped themselves, and without differences that some servers ignore. */
function decoded(uri: string): { readonly text: string; readonly isPlain: boolean } {
  let text = uri;
  let before: string | undefined;
  for (let round = 0; round < ROUNDS && text !== before; round++) {
    before = text;
    text = decodeOnce(text).normalize('NFKC');
  }
  text = text
    .replace(/[\t\n\r]/gu, '')
    .trim()
    .replaceAll('\\', '/')
    .toLowerCase();
  return { text, isPlain: !ODD_CHARACTER.test(text) };
}

function decodeOnce(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/giu, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Without empty and dot segments. `isInside`: no dots lead out of the first segment, which may be a host. */
function resolved(parts: readonly string[]): { readonly segments: readonly string[]; readonly isInside: boolean } {
  const segments: string[] = [];
  let isInside = true;
  for (const part of parts) {
    if (part === '..') {
      isInside &&= segments.length > 1;
      segments.pop();
    } else if (part !== '' && part !== '.') segments.push(part);
  }
  return { segments, isInside };
}

const ROUNDS = 6; // an escape that is still there after these leaves a % behind
const SCHEME = /^([a-z][a-z0-9+.-]*):/u;
const EMPTY_END = /^\??(?:#[^/]*)?$/u; // a query may name any file
const ODD_CHARACTER = /[%;\ufffd\p{C}]/u;
const ODD_SEGMENT = /^\s|[\s.]$/u; // some file systems drop these
