/** What to do about a server that a policy denies. The reason before it names the file. */
export const POLICY_STEP = 'Ask the owner of that file, or edit it if it is yours';
