import type { OfferedFile } from '../../actions/found/offered-files.js';
import type { Key } from '../terminal/screen.js';

/** What a user may take: files of other hosts, and trust in the working directory. */
export interface PickerOffer {
  readonly files: readonly OfferedFile[];
  /** The working directory, where no decision about trust was made; undefined: nothing to decide. */
  readonly folder: { readonly path: string; readonly warning: string } | undefined;
}

export interface PickerState {
  /** The index of the selected row: a file, or behind the files the folder. */
  readonly at: number;
  readonly top: number;
  /** Indexes of files. */
  readonly ticked: ReadonlySet<number>;
  readonly isTrusted: boolean;
  readonly message: string | undefined;
}

/** What the user decided. */
export type Picked =
  | {
      readonly kind: 'link' | 'copy';
      readonly files: readonly OfferedFile[];
      readonly isTrusted: boolean;
    }
  | { readonly kind: 'later' };

/** Files of the user with something new are ticked, files of the repository are not. */
export function firstPicks({ files }: PickerOffer): PickerState {
  const fresh = ownIndexes(files).filter((index) => files[index]!.servers.some(({ isThere }) => !isThere));
  return { at: 0, top: 0, ticked: new Set(fresh), isTrusted: false, message: undefined };
}

/** The effect of a key. Pure. */
export function pressInPicker(
  state: PickerState,
  key: Pick<Key, 'name' | 'text' | 'ctrl' | 'meta'>,
  offer: PickerOffer,
): { readonly state: PickerState; readonly picked?: Picked } {
  const calm = { ...state, message: undefined };
  const last = offer.files.length - (offer.folder ? 0 : 1);
  if (key.meta) return { state };
  if (key.ctrl) return key.name === 'c' || key.name === 'd' ? { state, picked: { kind: 'later' } } : { state };
  switch (key.name) {
    case 'up':
    case 'k':
      return { state: { ...calm, at: Math.max(0, state.at - 1) } };
    case 'down':
    case 'j':
    case 'tab':
      return { state: { ...calm, at: Math.min(last, state.at + 1) } };
    case 'home':
      return { state: { ...calm, at: 0 } };
    case 'end':
      return { state: { ...calm, at: last } };
    case 'space':
      return { state: toggled(calm, offer) };
    case 'a':
      return { state: allToggled(calm, offer) };
    case 't':
      return { state: offer.folder ? { ...calm, isTrusted: !state.isTrusted } : calm };
    case 'return':
    case 'l':
      return decided(calm, offer, 'link');
    case 'i':
    case 'c':
      return decided(calm, offer, 'copy');
    case 'escape':
    case 'q':
    case 'n':
      return { state, picked: { kind: 'later' } };
    default:
      return { state };
  }
}

function toggled(state: PickerState, { files }: PickerOffer): PickerState {
  if (state.at >= files.length) return { ...state, isTrusted: !state.isTrusted };
  const ticked = new Set(state.ticked);
  if (!ticked.delete(state.at)) ticked.add(state.at);
  return { ...state, ticked };
}

/** Ticks every file of the user's; where all are ticked, none. A file of the repository is ticked by itself alone. */
function allToggled(state: PickerState, { files }: PickerOffer): PickerState {
  const own = ownIndexes(files);
  const areAll = own.every((index) => state.ticked.has(index));
  const shared = [...state.ticked].filter((index) => files[index]?.isShared === true);
  return { ...state, ticked: new Set(areAll ? [] : [...own, ...shared]) };
}

function decided(
  state: PickerState,
  { files }: PickerOffer,
  kind: 'link' | 'copy',
): { readonly state: PickerState; readonly picked?: Picked } {
  const taken = files.filter((_, index) => state.ticked.has(index));
  if (taken.length === 0) return { state: { ...state, message: 'Nothing is ticked: space ticks a file, esc leaves' } };
  return { state, picked: { kind, files: taken, isTrusted: state.isTrusted } };
}

function ownIndexes(files: readonly OfferedFile[]): readonly number[] {
  return files.flatMap(({ isShared }, index) => (isShared ? [] : [index]));
}
