import type { Ledger } from '../../guard/ledger.js';
import type { RecordedTurn } from '../../guard/value/block-lines.js';
import type { ModelView } from '../../model/view/model-view.js';

/** Writes a line for every turn of a conversation to the ledger. */
export function turnRecorder(
  ledger: Ledger | undefined,
  from: Pick<RecordedTurn, 'isOfFork' | 'ownNameOf'>,
): (view: Pick<ModelView, 'shown' | 'changed'>) => void {
  if (!ledger) return () => {};
  return (view) => {
    const { shown, changed } = view;
    if (shown) ledger.writeTurn({ ...from, shown, changed });
  };
}
