/** The last line of the hint of a call whose arguments do not fit, for a face that takes flags. */
export const FORCE_HINT = 'To send them as they are: --force';
