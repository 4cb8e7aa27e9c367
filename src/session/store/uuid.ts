/** Whether a text is a UUID, in any version and in lower case, as it has to be to name a session or a message. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;
