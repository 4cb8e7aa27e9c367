import { unreachable } from '../../../base/never.js';
import type { HostError } from '../../../base/errors.js';
import { FORCE_HINT } from '../../../actions/calls/force-hint.js';
import { draw, noteLines } from '../../../actions/told.js';
import { showLine } from '../../../model/show.js';
import { ownRows, quotedRows } from '../../session/display/quoted-rows.js';
import { messageDrawing } from '../act-in-panel.js';
import { ownCommands } from '../../session/own-commands.js';
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

/** What, and what to do. */
function errorRows({ code, message, hint = '' }: HostError, columns: number): string[] {
  if (code === 'cancelled') return ownRows(message, columns);
  const said = message.replace(/^error: /u, '');
  return [
    ...said.split('\n').flatMap((line) => ownRows(`✘ ${showLine(line)}`, columns)),
    ...hint.split('\n').flatMap((line) => (line === '' ? [] : ownRows(`  ${hintText(line)}`, columns, 4))),
  ];
}

/** A hint in the words of the panel, which has a key where a command has a flag. */
function hintText(line: string): string {
  return line === FORCE_HINT ? FORCE_HINT.replace('--force', 'f') : ownCommands(line);
}

/** Whether a call was refused because its arguments do not fit, so that it may be sent as it is. */
export function isMisfit(content: CallContent | undefined): boolean {
  return content?.kind === 'failed' && (content.error.hint ?? '').split('\n').includes(FORCE_HINT);
}

const UNKNOWN = 'The call may have been executed: check before you retry it.';
