import { unreachable } from '../../../base/never.js';
import type { HostError } from '../../../base/errors.js';
import { FORCE_HINT } from '../../../actions/calls/force-hint.js';
import { draw, noteLines } from '../../../actions/told.js';
import { ownRows, quotedRows } from '../../session/display/quoted-rows.js';
import { messageDrawing } from '../act-in-panel.js';
import { ownCommands } from '../../session/own-commands.js';
import { toldErrorOf } from '../../fail.js';
import { errorLines, UNCOLOURED } from '../../output/error-lines.js';
import type { CallContent } from './panel-call.js';

/** A call under way or its result. Text of the server stands behind bars. */
export function callRows(content: CallContent, columns: number): string[] {
  const own = (text: string): string[] => ownRows(text, columns);
  switch (content.kind) {
    case 'running': {
      const { seconds, progress, isStopping } = content;
      return [
        `${isStopping ? 'Stopping' : 'Calling'} …  ${seconds} s`,
        ...progress.flatMap((part) => quotedRows(part, columns)),
      ];
    }
    case 'done': {
      const { told, notes, images } = content;
      const drawing = {
        ...messageDrawing,
        text: ({ text }: { readonly text: string }) =>
          text === '' ? ['The result is empty.'] : quotedRows(text, columns),
        aside: ({ text }: { readonly text: string }) => own(text),
        images: () => own(`Press v to draw ${images.length === 1 ? 'the image' : `the ${images.length} images`}.`),
      };
      return [
        ...draw(told.parts, drawing),
        ...(told.error ? errorRows(told.error, columns) : []),
        ...(told.error?.code === 'cancelled' ? own(UNKNOWN) : []),
        ...[...notes, ...noteLines(told.notes)].flatMap((note) => own(ownCommands(note))),
      ];
    }
    case 'failed':
      return [...errorRows(content.error, columns), ...content.notes.flatMap(own)];
    default:
      return unreachable(content);
  }
}

function errorRows(error: HostError, columns: number): string[] {
  if (error.code === 'cancelled') return ownRows(error.message, columns);
  const { hint, ...told } = toldErrorOf(error);
  // A panel cuts what is wider than itself, so that commands are wrapped, too.
  return errorLines({ ...told, hint: hint && hintText(hint) }, { style: UNCOLOURED, columns: Infinity }).flatMap(
    (line) => ownRows(line, columns, 4),
  );
}

/** A hint in the words of the panel, which has a key where a command has a flag. */
function hintText(hint: string): string {
  return ownCommands(hint.replace(FORCE_HINT, FORCE_HINT.replace('--force', 'f')));
}

/** Whether a call was refused because its arguments do not fit, so that it may be sent as it is. */
export function isMisfit(content: CallContent | undefined): boolean {
  return content?.kind === 'failed' && (content.error.hint ?? '').split('\n').includes(FORCE_HINT);
}

const UNKNOWN = 'The call may have been executed: check before you retry it.';
