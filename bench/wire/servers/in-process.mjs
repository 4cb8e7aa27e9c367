/** All that a server in the client's own process does here; its cost is in every client's figure. */
export function echo(params) {
  return { content: [{ type: 'text', text: params.arguments.text }] };
}
