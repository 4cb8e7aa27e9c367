/** How a client or a server introduces itself. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}
