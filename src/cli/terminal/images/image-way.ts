/** How a terminal draws images. */
export type ImageWay = 'kitty' | 'iterm' | 'sixel' | 'none';

/** What the environment tells about images; `ask`: only the terminal itself knows. */
export interface ImageRoute {
  readonly way: ImageWay | 'ask';
  /** tmux stands between, and passes on only what is wrapped for it, if at all. */
  readonly isTmux: boolean;
}

type Environment = { readonly [name: string]: string | undefined };

export function imageRouteOf(env: Environment): ImageRoute {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '' } = env;
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  const isTmux = has('TMUX') || TERM.startsWith('tmux');
  // screen passes nothing on; inside tmux TERM is `screen` or `tmux`.
  const isScreen = has('STY') || (TERM.startsWith('screen') && !isTmux);
  if (TERM === 'dumb' || TERM === 'linux' || isScreen) return { way: 'none', isTmux: false };
  const isIterm = LC_TERMINAL === 'iTerm2' || (!isTmux && (TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm'));
  return { way: isIterm ? 'iterm' : 'ask', isTmux };
}

/** https://sw.kovidgoyal.net/kitty/graphics-protocol/#querying-support-and-available-transmission-mediums */
export const KITTY_QUERY = '\u001B_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001B\\';
/** Primary device attributes (DA1): every terminal answers, and after the query above. */
export const ATTRIBUTES_QUERY = '\u001B[c';

/** What a reply of the terminal means; undefined for a reply to something else. */
export function readImageReply(sequence: string): 'kitty' | 'sixel' | 'attributes' | undefined {
  if (TERMINATORS.some((end) => sequence === `\u001B_Gi=31;OK${end}`)) return 'kitty';
  const [, attributes]: readonly (string | undefined)[] = sequence.startsWith('\u001B[?')
    ? (/^([\d;]*)c$/u.exec(sequence.slice(3)) ?? [])
    : [];
  if (attributes === undefined) return undefined;
  // The first number is the terminal's class, the others what it can do.
  return attributes.split(';').slice(1).includes(SIXEL) ? 'sixel' : 'attributes';
}

const SIXEL = '4';
const TERMINATORS = ['\u001B\\', '\u0007', '\u009C'];
