import type { ResultsSetting } from '../../config/scope.js';
import type { FolderLimits } from '../../edge/spill/tidy-folder.js';

/** How much the folder of saved results may hold, as the user set it. */
export function toResultLimits({ days = DAYS, mb = MEGABYTES }: ResultsSetting = {}): FolderLimits {
  return { ageMs: days * DAY_MS, bytes: mb * MEGABYTE };
}

const DAYS = 7; // a conversation is hardly taken up again after a week
const MEGABYTES = 1_024;
const DAY_MS = 86_400_000;
const MEGABYTE = 1_048_576;
