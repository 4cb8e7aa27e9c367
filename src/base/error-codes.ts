/**
 * The code of every failure that Plugboard names. Callers switch on codes; messages may change, codes do not.
 * docs/troubleshooting.md has a heading for each.
 */
export const errorCodes = [
  'usage', // the command line, or an option of the library, asks for something impossible
  'config-invalid', // a file or an entry contains something that is not allowed
  'config-unreadable', // a file cannot be read: permissions, a directory, a device
  'config-too-large', // a file or a document exceeds a limit before it is parsed
  'unknown-server', // no server of that name is configured
  'server-exists', // that name is taken in that scope
  'ambiguous-server', // that name is in several scopes, and one has to be chosen
  'enterprise-locked', // managed-mcp.json has exclusive control
  'not-approved', // a server of a project that the user has not approved yet
  'folder-untrusted', // a server of the user's own that needs a folder which is not trusted
  'disabled', // a server that is switched off
  'policy-denied', // an allow or deny list forbids it
  'needs-terminal', // the user has to answer, and cannot be asked
  'write-failed', // a file could not be replaced; the old one is intact
  'lock-timeout', // another process holds the lock of a file for too long
  'fetch-failed', // a bounded HTTP request got no response
  'url-refused', // the URL gate refused
  'start-failed', // a server's process could not be started
  'sandbox-unavailable', // a server has to run in a sandbox, and none is available
  'connect-failed', // a server could not be reached, or refused the handshake
  'connect-timeout', // a server did not finish the handshake in time
  'connection-closed', // the connection closed while a request was waiting for it
  'session-lost', // an HTTP server no longer knows our session
  'unauthorized', // an HTTP server requires a sign-in, or refuses our credentials
  'sign-in-failed', // an authorization server gave no token, for a reason that another sign-in need not fix
  'http-failed', // an HTTP server sent a response that cannot be used
  'bad-answer', // a response that breaks the protocol
  'answer-too-large', // a response exceeds a limit: bytes, depth, values
  'input-failed', // a server asked for input in return, and got none
  'server-error', // the server responded with an error
  'call-timeout', // no response within the deadline
  'overloaded', // too much is waiting or running to accept more
  'unsupported', // a server or a transport lacks what was asked for
  'unknown-tool', // no server has a tool of that name
  'unknown-resource', // no server has a resource with that URI, or a prompt of that name
  'bad-input', // the input of a tool does not match its schema
  'denied', // a rule, a mode, a hook or the user denied this call
  'definition-changed', // a tool is no longer what was pinned or allowed
  'no-model', // there is no model to use, or it is not clear which
  'model-failed', // a model's API did not respond, or refused
  'unknown-session', // no session of that id is kept for this folder
  'session-in-use', // another process writes that session, or its id is taken
  'session-broken', // a session file contains something that Plugboard did not write
  'cancelled', // the caller cancelled it, or the host was closed
  'internal', // a mistake in Plugboard itself, or in a function that an embedder passed in
] as const;

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number];
