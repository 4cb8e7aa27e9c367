/** News that a model was told between the messages that a framework keeps itself. */
export class ToldNews<Message> {
  readonly #toMessage: (news: string) => Message;
  readonly #isNews: (message: Message, news: string) => boolean;
  readonly #told: { readonly at: number; readonly news: string }[] = [];

  constructor(toMessage: (news: string) => Message, isNews: (message: Message, news: string) => boolean) {
    this.#toMessage = toMessage;
    this.#isNews = isNews;
  }

  /**
   * The messages with all news at the places where the model has read them: some frameworks carry an added message over
   * to the next step, others drop it. Undefined when there is nothing to add.
   */
  weave(messages: readonly Message[], news: string | undefined): Message[] | undefined {
    const missing = this.#told.filter((told) => !messages.some((message) => this.#isNews(message, told.news)));
    if (news !== undefined) this.#told.push({ at: messages.length + missing.length, news });
    if (missing.length === 0 && news === undefined) return undefined;
    const woven = [...messages];
    for (const told of missing) woven.splice(told.at, 0, this.#toMessage(told.news));
    if (news !== undefined) woven.push(this.#toMessage(news));
    return woven;
  }
}
