import type { JsonObject } from '../../../base/json.js';
import type { Key } from '../../terminal/screen.js';
import type { ItemData } from '../item-data.js';
import { keyWord } from '../move-keys.js';
import type {
  CallView,
  DetailView,
  ItemView,
  PanelContext,
  PanelState,
  PictureView,
  Pressed,
  ResultView,
} from '../panel-state.js';
import { pastedCommand } from './pasted-command.js';
import { isMisfit } from './call-rows.js';
import { inputOf, newForm, pressForm } from './call-form.js';

type ToolItem = Extract<ItemData, { readonly kind: 'tool' }>;

/** Opens the form for a call of this tool. */
export function openCall(state: PanelState, back: DetailView | ItemView, item: CallView['item']): Pressed {
  const view: CallView = { kind: 'call', key: back.key, item, form: newForm, back };
  return { state: { ...state, view, message: undefined } };
}

/** Keys of the form. Undefined: the key is for help. */
export function pressCall(state: PanelState, view: CallView, { key, stage }: Press): Pressed | undefined {
  const word = keyWord(key);
  if (word === 'escape' || word === 'ctrl-c') return { state: { ...state, view: view.back, message: undefined } };
  const tool = toolIn(stage);
  if (!tool) return word === 'q' ? { state: { ...state, view: view.back } } : { state };
  const { fields } = tool;
  const { form } = view;
  const isButton = form.at >= fields.length;
  const isTyped = !isButton && fields[form.at]!.choices === undefined;
  if (word === 'ctrl-r' || (isButton && word === 'return')) return send(state, view, tool);
  if (word === 'ctrl-o' || (isButton && word === 'y')) return copy(state, view, tool);
  if (isButton && word === 'q') return { state: { ...state, view: view.back, message: undefined } };
  if (word === 'f1' || (word === '?' && !isTyped)) return undefined;
  const pressed = pressForm(form, fields, key);
  return { state: pressed ? { ...state, view: { ...view, form: pressed }, message: undefined } : state };
}

export interface Press {
  readonly key: Key;
  readonly stage: PanelContext;
}

/** Uses the arguments as they stand; or puts the focus on what is wrong. */
function withInput(state: PanelState, view: CallView, { fields }: ToolItem): WithInput {
  const read = inputOf(view.form, fields);
  if (read.kind === 'input') return read;
  const form = { ...view.form, at: read.at, choice: 0, isTried: true };
  const lines = ['One of the arguments is not right yet'];
  return { kind: 'wrong', pressed: { state: { ...state, view: { ...view, form }, message: { kind: 'note', lines } } } };
}

type WithInput =
  | { readonly kind: 'input'; readonly input: JsonObject }
  | { readonly kind: 'wrong'; readonly pressed: Pressed };

function send(state: PanelState, view: CallView, tool: ToolItem): Pressed {
  const read = withInput(state, view, tool);
  if (read.kind === 'wrong') return read.pressed;
  const { input } = read;
  const result: ResultView = { kind: 'result', key: view.key, item: view.item, top: 0, input, back: view };
  return {
    state: { ...state, view: result, message: undefined },
    effect: { kind: 'call', tool: tool.tool.name, input, isForced: false },
  };
}

function copy(state: PanelState, view: CallView, tool: ToolItem): Pressed {
  const read = withInput(state, view, tool);
  return read.kind === 'wrong' ? read.pressed : copied(state, tool, read.input);
}

function copied(state: PanelState, { tool, definition }: ToolItem, input: JsonObject): Pressed {
  const text = pastedCommand({
    server: tool.server ?? '',
    tool: tool.tool,
    name: tool.name,
    input,
    inputSchema: definition.inputSchema,
  });
  const about = text.length > LONG ? 'This is longer than many clipboards and shells take' : COPIED;
  return { state: { ...state, message: { kind: 'done', lines: [about, text] } }, effect: { kind: 'copy', text } };
}

/** Keys of a call under way and of its result. Undefined: the key is for the text or for help. */
export function pressResult(state: PanelState, view: ResultView, { word, stage }: WordPress): Pressed | undefined {
  const { call } = stage;
  if (call?.kind === 'running') {
    return word === 'escape' || word === 'ctrl-c' || word === 'q' ? { state, effect: { kind: 'stop' } } : undefined;
  }
  const tool = toolIn(stage);
  switch (word) {
    case 'y':
      return tool ? copied(state, tool, view.input) : { state };
    case 'f':
      return tool && isMisfit(call) ? callAgain(state, view, { tool, isForced: true }) : { state };
    case 'r':
      return tool ? callAgain(state, view, { tool, isForced: false }) : { state };
    case 'v': {
      const images = call?.kind === 'done' ? call.images : [];
      if (images.length === 0) return { state: note(state, 'The result has no image') };
      const picture: PictureView = { kind: 'picture', key: view.key, item: view.item, at: 0, back: view };
      return { state: { ...state, view: picture, message: undefined } };
    }
    default:
      return undefined;
  }
}

function callAgain(
  state: PanelState,
  view: ResultView,
  { tool, isForced }: { readonly tool: ToolItem; readonly isForced: boolean },
): Pressed {
  return {
    state: { ...state, view: { ...view, top: 0 }, message: undefined },
    effect: { kind: 'call', tool: tool.tool.name, input: view.input, isForced },
  };
}

/** Keys of an image. Undefined: the key is for help. */
export function pressPicture(state: PanelState, view: PictureView, { word, stage }: WordPress): Pressed | undefined {
  const count = stage.call?.kind === 'done' ? stage.call.images.length : 0;
  const to = (at: number): Pressed => ({
    state: { ...state, view: { ...view, at: (at + count) % Math.max(count, 1) } },
  });
  switch (word) {
    case 'right':
    case 'down':
    case 'space':
    case 'v':
      return to(view.at + 1);
    case 'left':
    case 'up':
      return to(view.at - 1);
    case 'q':
    case 'escape':
    case 'ctrl-c':
    case 'backspace':
      return { state: { ...state, view: view.back, message: undefined } };
    case '?':
    case 'f1':
      return undefined;
    default:
      return { state };
  }
}

interface WordPress {
  readonly word: string;
  readonly stage: PanelContext;
}

function toolIn({ item }: PanelContext): ToolItem | undefined {
  return item?.kind === 'tool' ? item : undefined;
}

function note(state: PanelState, line: string): PanelState {
  return { ...state, message: { kind: 'note', lines: [line] } };
}

const COPIED = 'Copied, if your terminal lets programs do that:';
const LONG = 70_000; // characters; terminals bound what they take for the clipboard
