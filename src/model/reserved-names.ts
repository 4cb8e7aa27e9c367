/** Names that mean something built in, here or on the hosts whose files people bring along. */
export const reservedNames: readonly string[] = [
  'workspace',
  'claude-in-chrome',
  'computer-use',
  'Claude Preview',
  'Claude Browser',
  'plugboard',
];
